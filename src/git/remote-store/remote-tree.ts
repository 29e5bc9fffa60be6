import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { OnFetched, SharedWrite } from '../../store/shared/shared-files.js';
import { changesBetween } from '../cli/history.js';
import type { KeptPacks } from '../cli/kept-packs.js';
import { commitAt, contentsOf } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
import { filesBelow, isFile } from '../cli/tree.js';
import { articleBlob } from '../commit/blobs.js';
import type { Identity } from '../commit/identity.js';
import { type CommitDraft, writeCommits } from '../commit/write-commits.js';
import type { Pushed, Remote } from '../push/remote.js';
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
  /** Keeps new packs from repacking, until they are released. */
  keepPacks(): KeptPacks;
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
  const { repository, remote, identity, folder, log, keepPacks, onFetched, onTip } = options;
  const root = folder.replace(/\/$/, '');
  let { tip } = options;
  const names = new Map<string, string>();
  /** The commit that the names are of: not the tip where the receiver of the changes has failed. */
  let namesOf = tip;
  /** The paths that the receiver of the changes lacks. */
  const unreported = new Set<string>();
  /** The packs of commits that were pushed, to which no ref of this clone leads yet. */
  const unreferenced = new Set<KeptPacks>();
  if (tip !== null)
    for (const [path, id] of await filesBelow(repository, tip, root))
      names.set(path.slice(folder.length), id);

  async function push(batch: readonly CommitWrite[]): Promise<Pushed> {
    // A remote without the branch accepts any commit: it gets what this clone has first.
    if (tip === null && (await fetch())) return { outcome: 'refused' };
    const drafts = await Promise.all(batch.map(draftOf));
    const { commits, last, pushed } = await pushCommits(drafts);
    if (pushed.outcome === 'declined') log.error({ reason: pushed.why }, 'the git remote declined commits');
    if (pushed.outcome !== 'accepted') return pushed;
    if (namesOf === tip) namesOf = last;
    tip = last;
    for (const [index, { path, committed }] of batch.entries()) {
      const draft = drafts[index];
      names.set(path, draft?.blob.id ?? '');
      committed(commits[index] ?? last, draft?.message ?? '');
    }
    onTip(last);
    return pushed;
  }

  async function pushCommits(drafts: readonly CommitDraft[]) {
    const packs = keepPacks();
    try {
      const commits = await writeCommits(repository, tip, drafts, identity, packs);
      const last = commits.at(-1);
      if (last === undefined) throw new PressmarkError('GIT_FAILED', 'git made no commits');
      return { commits, last, pushed: await remote.push(last) };
    } finally {
      // Also where the push has failed: the remote may have the commits.
      unreferenced.add(packs);
    }
  }

  /** Returns a function that releases the packs of the commits up to the present tip; call it once a ref leads to that tip. */
  function releaseLater(): () => Promise<void> {
    const due = [...unreferenced];
    return async () => {
      for (const packs of due) {
        unreferenced.delete(packs);
        await packs.release();
      }
    };
  }

  async function draftOf(write: CommitWrite): Promise<CommitDraft> {
    const path = `${folder}${write.path}`;
    return { path, blob: await articleBlob(repository, path, write.text), message: await write.message };
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
    releaseLater,
  };
}
