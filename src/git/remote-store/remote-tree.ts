import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { OnFetched, SharedWrite } from '../../store/shared/shared-files.js';
import { buildCommits, type FileChange, modeOf } from '../commit/commit-files.js';
import type { Identity } from '../commit/identity.js';
import {
  blobId,
  changesBetween,
  commitAt,
  contentsOf,
  type Entry,
  entriesAt,
  entriesBelow,
  isFile,
} from '../objects.js';
import type { Pushed, Remote } from '../push/remote.js';
import type { Repository } from '../repository.js';
import { createPushQueue } from './push-queue.js';

/** A write with the commit that it becomes. */
export interface CommitWrite extends SharedWrite {
  /** The whole commit message. */
  readonly message: Promise<string>;
  /** Called with the commit that the remote has accepted. */
  committed(commit: string, message: string): void;
}

export interface RemoteTreeOptions {
  readonly repository: Repository;
  readonly remote: Remote;
  readonly identity: Identity;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  /** The commit that was fetched last; null for none. */
  readonly tip: string | null;
  readonly log: Log;
  readonly onFetched: OnFetched;
  /** Receives each new tip. */
  onTip(tip: string): void;
}

/** The content folder as the remote has it; see `openRemoteTree`. */
export type RemoteTree = Awaited<ReturnType<typeof openRemoteTree>>;

/**
 * The content folder on the remote's branch, which all receivers share: a file that the remote has accepted is stored,
 * whatever the work tree of any clone holds. People's uncommitted edits are not part of it.
 */
export async function openRemoteTree(options: RemoteTreeOptions) {
  const { repository, remote, identity, folder, log, onFetched, onTip } = options;
  const root = folder.replace(/\/$/, '');
  let { tip } = options;
  const names = new Map<string, string>();
  /** The commit that the names are of: not the tip where the receiver of the changes has failed. */
  let namesOf = tip;
  /** The paths that the receiver of the changes lacks. */
  const unreported = new Set<string>();
  if (tip !== null)
    for (const [path, { mode, id }] of await entriesBelow(repository, tip, root))
      if (isFile(mode)) names.set(path.slice(folder.length), id);

  async function push(batch: readonly CommitWrite[]): Promise<Pushed> {
    // A remote without the branch accepts any commit: it gets what this clone has first.
    if (tip === null && (await fetch())) return { outcome: 'refused' };
    const before = await entriesAt(
      repository,
      tip,
      batch.map(({ path }) => `${folder}${path}`),
    );
    const drafts = await Promise.all(batch.map((write) => draftOf(write, before)));
    const commits = await buildCommits(repository, tip, drafts, { identity, sign: false });
    const last = commits.at(-1);
    if (last === undefined) throw new PressmarkError('GIT_FAILED', 'git made no commits');
    const pushed = await remote.push(last);
    if (pushed.outcome === 'declined') log.error({ reason: pushed.why }, 'the git remote declined commits');
    if (pushed.outcome !== 'accepted') return pushed;
    if (namesOf === tip) namesOf = last;
    tip = last;
    for (const [index, { path, committed }] of batch.entries()) {
      const { content = '', message = '' } = drafts[index] ?? {};
      names.set(path, typeof content === 'string' ? content : blobId(repository, content));
      committed(commits[index] ?? last, message);
    }
    onTip(last);
    return pushed;
  }

  async function draftOf(write: CommitWrite, before: ReadonlyMap<string, Entry>): Promise<FileChange> {
    const path = `${folder}${write.path}`;
    const mode = modeOf(before.get(path));
    const input = Buffer.from(write.text);
    const message = await write.message;
    // No filter applies here, so that git can change only a text with CR.
    if (!write.text.includes('\r')) return { path, content: input, mode, message };
    const { stdout } = await repository.git(['hash-object', '-w', '--stdin', `--path=${path}`], { input });
    return { path, content: stdout.trim(), mode, message };
  }

  async function fetch(): Promise<boolean> {
    const fetched = (await remote.fetch(tip)) ?? (await pushFirst());
    if (fetched === null || (fetched === tip && namesOf === tip)) return false;
    // The names first, as the receiver of the changes reads by them. Where it fails, the next fetch reports these paths
    // again, and what they have become by then.
    for (const { path, after } of await changesBetween(repository, namesOf, fetched, root)) {
      const inside = path.slice(folder.length);
      if (after !== null && isFile(after.mode)) names.set(inside, after.id);
      else names.delete(inside);
      unreported.add(inside);
    }
    namesOf = fetched;
    await onFetched(new Map([...unreported].map((path) => [path, names.get(path)] as const)), files);
    unreported.clear();
    tip = fetched;
    onTip(fetched);
    return true;
  }

  /** Pushes what this clone has, where the remote has no such branch; null where that is nothing either. */
  async function pushFirst(): Promise<string | null> {
    if (tip !== null)
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} has lost its branch; push it again`);
    const first = await commitAt(repository, remote.ref);
    if (first === null) return null;
    const { outcome } = await remote.push(first);
    if (outcome !== 'accepted')
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} did not accept its first commits`);
    log.info({ commit: first }, 'the git remote had no such branch; it was pushed');
    return first;
  }

  /** The texts of these files as the remote has them, read from the work tree where it has the same, which is cheaper. */
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
    const blobs = await contentsOf(repository, missing.values());
    for (const [path, name] of missing) found.set(path, blobs.get(name)?.toString('utf8') ?? '');
    return found;
  }

  const files = { names: names as ReadonlyMap<string, string>, texts };
  await onFetched(new Map(names), files);
  const queue = createPushQueue<CommitWrite>({ push, fetch }, log);
  return {
    ...files,
    /** The last commit that the remote is known to have. */
    get tip() {
      return tip;
    },
    queue,
  };
}
