import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { syncFoldersOf, syncIfThere } from '../../fs/sync-files.js';
import { saidIn } from '../git.js';
import { blobId, commitAt, FILE, noObject, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import type { NewVersion } from './build-commits.js';
import { type Branch, isOn } from './head.js';
import { nextRef } from './next-commits.js';

/** How often the index is put back while HEAD moves. */
const TAKE_BACK_ATTEMPTS = 5;

/** The pauses before further attempts to write the index, in milliseconds: another program has it for a moment. */
const PAUSES_MS = [50, 100, 200, 400];

/** Commits that are about to go to the branch. */
export interface NewCommits {
  readonly files: readonly NewVersion[];
  /** Those of `buildCommits`. */
  readonly commits: readonly string[];
  /** The paths that the owner has staged. */
  readonly staged: ReadonlySet<string>;
  /** When the first of their objects was written, or earlier, by `performance.now()`. */
  readonly since: number;
}

/**
 * Moves the branch to new commits, and puts their files into the index, except where the owner has staged something.
 *
 * @returns undefined if HEAD has moved since `head` was read: then the commits must be made again. `tidied` resolves when
 *   nothing is left of the batch but its commits; no answer waits for that.
 * @throws PressmarkError GIT_FAILED, as where another program has locked the index or the branch for long.
 */
export async function moveBranch(
  repository: Repository,
  head: Branch,
  { files, commits, staged, since }: NewCommits,
): Promise<{ readonly tidied: Promise<unknown> } | undefined> {
  const last = commits.at(-1) ?? '';
  const { git, gitDir, commonDir } = repository;
  const entries = new Map<string, TreeEntry>();
  for (const { path, mode, content, assets = new Map() } of files) {
    for (const [asset, id] of assets) entries.set(asset, { mode: FILE, id });
    if (staged.has(path)) continue;
    if (content === null) entries.set(path, { mode: '0', id: noObject(repository) });
    else entries.set(path, { mode, id: typeof content === 'string' ? content : blobId(repository, content) });
  }
  const ref = nextRef();
  await syncObjectFolders(commonDir, since);
  const marked = git(['update-ref', ref, last]).then(() => syncRefs(gitDir, ref));
  // The index first: a branch whose files the index lacks would look as if the owner had removed them. It is locked by now,
  // so that a rebase that begins later finds the entries, and one that has begun does not get them into its commits.
  const indexed = writeIndex(
    repository,
    entries,
    marked.then(() => isOn(repository, head)),
  ).then(async (isWritten) => {
    await syncIfThere(gitDir);
    return isWritten && (await isOn(repository, head));
  });
  try {
    const command = ['update-ref', '-m', 'pressmark: articles', '--stdin'];
    const update = `update ${head.ref} ${last} ${head.tip ?? noObject(repository)}\n`;
    if (!(await runWhenReady(repository, command, update, indexed))) {
      await takeBack(repository, entries, ref);
      return undefined;
    }
    await syncRefs(commonDir, head.ref);
    // Only now: after a power loss the branch might be where it was, with the files in the index.
    return { tidied: git(['update-ref', '-d', ref]).catch(() => undefined) }; // else the next comparison removes it
  } catch (error) {
    // The branch's command may have failed while the index was still written.
    await indexed.catch(() => undefined);
    await takeBack(repository, entries, ref);
    if (/ but expected |reference already exists|unable to resolve reference/.test(messageOf(saidIn(error))))
      return undefined;
    throw error;
  }
}

function writeIndex(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  ready?: Promise<boolean>,
): Promise<boolean> {
  const input = [...entries].map(([path, { mode, id }]) => `${mode} ${id} 0\t${path}\0`).join('');
  return runWhenReady(repository, ['update-index', '-z', '--index-info'], input, ready);
}

/**
 * Runs a command that starts while the one before it still works: half of its time is its start. It gets its input when
 * `ready` resolves, and none where that is false.
 *
 * @returns what `ready` resolved with.
 */
async function runWhenReady(
  { git }: Repository,
  command: readonly string[],
  input: string,
  ready = Promise.resolve(true),
): Promise<boolean> {
  ready.catch(() => undefined); // where the command itself has failed, that is the error
  const inputWhenReady = async function* () {
    if (await ready) yield Buffer.from(input);
  };
  await patiently(() => git(command, { input: inputWhenReady() }));
  return ready;
}

/** Syncs the folders of a ref. Git syncs its file. */
async function syncRefs(gitDir: string, ref: string): Promise<void> {
  await syncFoldersOf(gitDir, [join(gitDir, ref), join(gitDir, 'reftable', 'tables.list')]);
}

/**
 * Gives the index what HEAD has by now, where the index has what was written: else the files would look as if the owner had
 * staged them. Where that fails, the ref stays, and goes on telling them from the owner's. Where the owner commits at the
 * same time, HEAD has another commit afterwards, and it is done again.
 */
async function takeBack(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  ref: string,
): Promise<void> {
  const absent = { mode: '0', id: noObject(repository) };
  let written = entries;
  for (let attempt = 0; attempt < TAKE_BACK_ATTEMPTS; attempt++) {
    const { tip, files } = await statusOf(repository, [...written.keys()]);
    const ours = [...written].flatMap(([path, { id }]) => {
      const { head = absent, index = absent } = files.get(path) ?? {};
      return files.has(path) && index.id === id ? [[path, head] as const] : [];
    });
    if (ours.length === 0) break;
    written = new Map(ours);
    await writeIndex(repository, written);
    if ((await commitAt(repository, 'HEAD')) === tip) break;
  }
  await syncIfThere(repository.gitDir);
  await repository.git(['update-ref', '-d', ref]);
}

/** Repeats a command that finds a lock. */
export async function patiently<T>(command: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await command();
    } catch (error) {
      if (!/File exists/.test(messageOf(saidIn(error)))) throw error;
      await setTimeout(pause);
    }
  }
  return command();
}

/** A clock of a file system ticks this often at the least, in milliseconds. */
const TICK_MS = 2_000;

/**
 * Syncs the folders of objects that have got files since a moment. Git syncs the files themselves. The clock of the disk's
 * machine may be another one than ours: the last change of a folder is its present, unless our clock says that it is to come.
 *
 * @param since by `performance.now()`.
 */
export async function syncObjectFolders(commonDir: string, since: number): Promise<void> {
  const objects = join(commonDir, 'objects');
  const folders = [objects, ...(await readdir(objects)).map((name) => join(objects, name))];
  const times = await Promise.all(folders.map(async (folder) => (await stat(folder)).mtimeMs));
  const present = Math.min(Math.max(...times), Date.now());
  const first = present - (performance.now() - since) - TICK_MS;
  await Promise.all(
    folders.map((folder, at) => ((times[at] ?? 0) > first ? syncIfThere(folder) : undefined)),
  );
}
