import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { blobsNamed, changesBetween, filesBelow, isFile } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
import { type Blob, blobsOf } from '../commit/blobs.js';
import { identityOf, type Person } from '../commit/identity.js';
import { importCommits } from '../commit/import.js';
import type { MoveNotes } from '../commit/ref-update.js';
import {
  createRemote,
  FETCHED_REF,
  type Pushed,
  type RemoteSettings,
  remembering,
  WHILE_ANSWERING,
} from '../push/remote.js';
import { createTurns, type Offer } from './push-turns.js';

/** An article's file that the remote is to take. */
export interface SharedWrite extends Offer {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The whole commit message. */
  readonly message: Promise<string>;
  /** Told the commit that the remote has taken. */
  committed(commit: string, message: string): void;
}

/** A path below the content folder whose content has become another; the name of the content, or undefined. */
export type Taken = ReadonlyMap<string, string | undefined>;

export interface SharedOptions extends RemoteSettings {
  readonly repository: Repository;
  readonly locker: MoveNotes;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  readonly author?: Person;
  readonly env: NodeJS.Dict<string>;
  readonly log: Log;
}

/** The content folder as the remote has it; see `openShared`. */
export type Shared = Awaited<ReturnType<typeof openShared>>;

/**
 * The content folder as it is on the remote's branch, which all receivers share: what the remote has taken is
 * stored, whatever any one clone's work tree holds. A person's uncommitted edits are not seen here.
 */
export async function openShared({
  repository,
  locker,
  folder,
  author,
  env,
  log,
  ...settings
}: SharedOptions) {
  const { git } = repository;
  const remember = remembering(repository, locker, log);
  const remote = await createRemote(repository, settings, env, remember, WHILE_ANSWERING);
  const identity = await identityOf(git, author);
  const below = folder.replace(/\/$/, '');
  let tip = await lastTip();
  const names = new Map<string, string>();
  /** The commit that the names are of: another one than the tip where a taker has failed. */
  let named = tip;
  /** The paths that takers are still to be told of. */
  const untold = new Set<string>();
  const takers: ((taken: Taken) => Promise<void>)[] = [];
  const movers: (() => void)[] = [];
  const turns = createTurns<SharedWrite>({ push, look }, log);
  if (tip !== null) await nameFiles(tip);

  /** What the remote had when this clone heard of it last. */
  async function lastTip(): Promise<string | null> {
    const { code, stdout } = await git(['rev-parse', '-q', '--verify', `${FETCHED_REF}^{commit}`], {
      accept: [1],
    });
    return code === 0 ? stdout.trim() : null;
  }

  async function nameFiles(commit: string): Promise<void> {
    for (const [path, id] of await filesBelow(repository, commit, below))
      names.set(path.slice(folder.length), id);
  }

  async function push(batch: readonly SharedWrite[]): Promise<Pushed> {
    const messages = await Promise.all(batch.map(({ message }) => message));
    const files = batch.map(({ path, text }) => ({ path: `${folder}${path}`, content: text }));
    const blobs = await blobsIn(repository, files);
    const drafts = files.flatMap(({ path }, index) => {
      const blob = blobs[index];
      return blob === undefined ? [] : [{ path, blob, message: messages[index] ?? '' }];
    });
    const commits = await importCommits(repository, tip, drafts, identity, { background: false });
    const last = commits.at(-1);
    if (last === undefined) throw new PressmarkError('GIT_FAILED', 'git made no commits');
    const pushed = await remote.push(last);
    if (pushed.outcome === 'accepted') {
      if (named === tip) named = last;
      tip = last;
      for (const [index, { path, committed }] of batch.entries()) {
        names.set(path, blobs[index]?.id ?? '');
        committed(commits[index] ?? last, messages[index] ?? '');
      }
      for (const tell of movers) tell();
    }
    if (pushed.outcome === 'declined') log.error({ reason: pushed.why }, 'the git remote declined commits');
    return pushed;
  }

  async function look(): Promise<boolean> {
    const found = (await remote.fetch(tip)) ?? (await begin());
    if (found === null || (found === tip && named === tip)) return false;
    // First the names, which the takers read by. Should one fail, the next look tells of these paths again, and of what
    // they have become by then.
    for (const { path, after } of await changesBetween(repository, named, found, below)) {
      const inside = path.slice(folder.length);
      if (after !== null && isFile(after.mode)) names.set(inside, after.id);
      else names.delete(inside);
      untold.add(inside);
    }
    named = found;
    const taken = new Map([...untold].map((path) => [path, names.get(path)] as const));
    for (const take of takers) await take(taken);
    untold.clear();
    tip = found;
    for (const tell of movers) tell();
    return true;
  }

  /** The remote has no such branch: it gets what this clone has; null where that is nothing either. */
  async function begin(): Promise<string | null> {
    if (tip !== null)
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} has lost its branch; push it again`);
    const { code, stdout } = await git(['rev-parse', '-q', '--verify', `${remote.ref}^{commit}`], {
      accept: [1],
    });
    if (code === 1) return null;
    const first = stdout.trim();
    const { outcome } = await remote.push(first);
    if (outcome !== 'accepted')
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} did not take its first commits`);
    log.info({ commit: first }, 'the git remote had no such branch; it was pushed');
    return first;
  }

  /**
   * The texts of these files as the remote has them; the work tree's own files where they are the same, as
   * reading them is cheaper.
   */
  async function texts(paths: Iterable<string>): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const missing = new Map<string, string>();
    await Promise.all(
      [...paths].map(async (path) => {
        const name = names.get(path);
        if (name === undefined) return;
        const content = await readFile(join(repository.top, folder, path)).catch(() => undefined);
        if (content !== undefined && blobId(repository, content) === name)
          found.set(path, content.toString('utf8'));
        else missing.set(path, name);
      }),
    );
    const blobs = await blobsNamed(repository, missing.values());
    for (const [path, name] of missing) found.set(path, blobs.get(name)?.toString('utf8') ?? '');
    return found;
  }

  return {
    remote,
    identity,
    /** The files below the content folder, by path; the value names the content. */
    names: names as ReadonlyMap<string, string>,
    /** The last commit that the remote is known to have. */
    get tip() {
      return tip;
    },
    get generation() {
      return turns.generation;
    },
    /** What the last talk with the remote failed with; undefined where it went well. */
    get trouble() {
      return turns.trouble;
    },
    offer: turns.offer,
    fresh: turns.fresh,
    texts,
    /** Is told of what others have changed, before anybody who waits for it goes on. */
    onTaken: (take: (taken: Taken) => Promise<void>) => void takers.push(take),
    /** Is told whenever the tip has moved. */
    onMoved: (tell: () => void) => void movers.push(tell),
    close: turns.close,
  };
}

/** The blobs of texts in the content folder. No filter applies here (`committableTree`), so only a text with CR can become another one in git. */
export async function blobsIn(
  repository: Repository,
  files: readonly { path: string; content: string }[],
): Promise<Blob[]> {
  if (files.some(({ content }) => content.includes('\r'))) return blobsOf(repository, files);
  return files.map((file) => {
    const content = Buffer.from(file.content);
    return { id: blobId(repository, content), content };
  });
}
