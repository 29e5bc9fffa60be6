import fs from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFile } from '../../fs/atomic-write.js';
import { NO_BLOBS, type PathBlobs, type TreeChange } from '../cli/history.js';
import { blobId, type Repository } from '../cli/repository.js';
import { isFile, SUBMODULE } from '../cli/tree.js';
import type { CheckoutFolder, CheckoutFolders } from './checkout-folders.js';
import type { StoreLock } from './store-lock.js';
import { isSame, replaceFile, unwritable, type WorkFile, workFileAt } from './work-file.js';

/** A change that was not made to the work tree, and why. */
export interface NotFollowed {
  readonly path: string;
  readonly why: string;
  /** Whether a person's change is in its place. */
  readonly isEdited: boolean;
}

/** The result of changes to the work tree. */
export interface WorktreeCheckout {
  readonly notFollowed: NotFollowed[];
  /** The files that were written and that another program has replaced since. */
  replaced(): string[];
  /** Removes what `replaced` needs. */
  close(): Promise<void>;
}

/** Where files are made, and the lock under which they get their names. */
interface CheckoutPlace {
  readonly folders: CheckoutFolders;
  readonly storeLock: Pick<StoreLock, 'run'>;
}

interface Wanted {
  readonly change: TreeChange;
  readonly now: WorkFile;
}

const EDITED = 'it was changed here and not committed; what the branch has is in HEAD';
const EXECUTABLE = '100755';
const LINK = '120000';

/** Files that are replaced before others get the store's lock: deliveries wait for it. */
const FILES_PER_TURN = 100;

/**
 * Makes the changes between two commits to the files of the work tree. A file that a person has edited, removed or added
 * is left alone, whatever the commits say. Each file is replaced by one rename, so that no reader sees half of it. The
 * files are made without the store's lock, and get their names under it.
 *
 * @param isCommitted finds the contents that the commits in between have at some paths; such a content is not an edit.
 * @param beforeWrite called before a file is written; resolves with a function that is called where it was not.
 */
export async function checkOutChanges(
  repository: Repository,
  changes: readonly TreeChange[],
  isCommitted: (paths: readonly string[]) => Promise<PathBlobs>,
  { folders, storeLock }: CheckoutPlace,
  beforeWrite: (change: TreeChange) => Promise<() => Promise<void>> = async () => async () => undefined,
): Promise<WorktreeCheckout> {
  const notFollowed: NotFollowed[] = [];
  const wanted: Wanted[] = [];
  // Removals first: a file may come where a folder was.
  const ofFiles = changes.map(withoutSubmodules);
  for (const change of ofFiles.sort((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
    const { path, before, after } = change;
    const why = unwritable(repository, path);
    const now = why === undefined ? workFileAt(join(repository.top, path)) : undefined;
    if (why !== undefined) notFollowed.push({ path, why, isEdited: false });
    else if (isItem(repository, now, after) && !lacksMode(now, change)) continue;
    else if (before !== null && now === undefined) notFollowed.push({ path, why: EDITED, isEdited: true });
    else wanted.push({ change, now });
  }
  const submodules = changes.filter(({ after }) => after?.mode === SUBMODULE).map(({ path }) => path);
  if (wanted.length === 0) {
    makeFolders(repository, submodules);
    return { notFollowed, replaced: () => [], close: async () => undefined };
  }
  const folder = await folders.add();
  /** The second name of each file that was written: while it has one, no other file gets its inode. */
  const written = new Map<string, string>();
  try {
    const { due, edited } = await filesDue(repository, wanted, isCommitted, folder);
    for (const path of edited) notFollowed.push({ path, why: EDITED, isEdited: true });
    const replaceDue = async ({ change, now, made }: Due) => {
      const { path } = change;
      const second = join(folder.path, `written-${written.size}`);
      if (made !== null) fs.linkSync(made, second);
      const rollBack = await beforeWrite(change);
      if (await replaceFile(repository, path, now, made, folder.replacedPath(now?.content))) {
        if (made !== null) written.set(path, second);
        return;
      }
      fs.rmSync(second, { force: true });
      await rollBack();
      notFollowed.push({ path, why: EDITED, isEdited: true });
    };
    for (let start = 0; start < due.length; start += FILES_PER_TURN)
      await storeLock.run(async () => {
        for (const one of due.slice(start, start + FILES_PER_TURN)) await replaceDue(one);
      });
    makeFolders(repository, submodules);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  const isReplaced = ([path, second]: [string, string]) =>
    fs.lstatSync(join(repository.top, path), { throwIfNoEntry: false })?.ino !== fs.lstatSync(second).ino;
  return {
    notFollowed,
    replaced: () => [...written].filter(isReplaced).map(([path]) => path),
    close: folder.remove,
  };
}

/** A submodule is not a file: its folder is empty until its owner runs `git submodule update`, and then a repository of its own. */
function withoutSubmodules({ path, before, after }: TreeChange): TreeChange {
  const fileOf = (item: TreeChange['after']) => (item?.mode === SUBMODULE ? null : item);
  return { path, before: fileOf(before), after: fileOf(after) };
}

/** Makes the folders of submodules, as git does it: without its folder, a submodule passes for one that was removed. */
function makeFolders(repository: Repository, paths: readonly string[]): void {
  for (const path of paths) {
    const folder = join(repository.top, path);
    if (unwritable(repository, path) !== undefined || workFileAt(folder) !== undefined) continue;
    try {
      fs.mkdirSync(folder, { recursive: true });
    } catch {
      // A file of the owner's is in the way: `git status` shows the submodule as removed.
    }
  }
}

/** A file that is replaced; `made` is the path of the new one, null where it is removed. */
interface Due extends Wanted {
  readonly made: string | null;
}

/** Makes the files, and finds those of the work tree that are replaced by them, and those that people have edited. */
async function filesDue(
  repository: Repository,
  wanted: readonly Wanted[],
  isCommitted: (paths: readonly string[]) => Promise<PathBlobs>,
  folder: CheckoutFolder,
): Promise<{ readonly due: readonly Due[]; readonly edited: readonly string[] }> {
  const [folderAfter, folderBefore] = [join(folder.path, 'after'), join(folder.path, 'before')];
  // A clean filter or a line end setting makes files of other bytes than the commit has.
  const unsure = wanted.filter(({ change, now }) => !isItem(repository, now, change.before));
  await checkOut(repository, wanted, 'after', folderAfter);
  await checkOut(repository, unsure, 'before', folderBefore);
  const committed =
    unsure.length === 0 ? NO_BLOBS : await isCommitted(unsure.map(({ change }) => change.path));
  const edited = new Set(
    unsure
      .filter(
        ({ change: { path }, now }) =>
          !(now !== undefined && committed.get(path)?.has(blobId(repository, now.content))) &&
          !isSame(workFileAt(join(folderBefore, path)), now),
      )
      .map(({ change }) => change.path),
  );
  const due: Due[] = [];
  for (const { change, now } of wanted) {
    const { path, after } = change;
    const made = after === null ? null : join(folderAfter, path);
    const file = made === null ? undefined : workFileAt(made);
    // A file system without permissions gives both files the same ones.
    const isMode = !lacksMode(now, change) || isExecutable(file) === isExecutable(now);
    if (made !== null && isSame(file, now) && isMode) edited.delete(path);
    else if (!edited.has(path)) {
      if (made !== null && after?.mode !== LINK) await syncFile(made);
      due.push({ change, now, made });
    }
  }
  return { due, edited: [...edited] };
}

/** Whether a file has the content that a commit has, whatever its permissions. */
function isItem(repository: Repository, now: WorkFile, item: TreeChange['after']): boolean {
  if (now === undefined || item === null) return now === undefined && item === null;
  return now.isLink === (item.mode === LINK) && blobId(repository, now.content) === item.id;
}

/** Whether the commits change the mode of a file, and the file has not the new one. */
function lacksMode(now: WorkFile, { before, after }: TreeChange): boolean {
  if (now === undefined || before === null || after === null || before.mode === after.mode) return false;
  return isFile(after.mode) && isExecutable(now) !== (after.mode === EXECUTABLE);
}

function isExecutable(file: WorkFile): boolean {
  return file !== undefined && (file.mode & 0o100) !== 0;
}

/** Writes files of a commit below `folder`, as a checkout would make them: filters and line ends applied. */
async function checkOut(
  { git }: Repository,
  wanted: readonly Wanted[],
  side: 'before' | 'after',
  folder: string,
): Promise<void> {
  const entries = wanted.flatMap(({ change: { path, [side]: item } }) =>
    item === null ? [] : [`${item.mode} ${item.id} 0\t${path}\0`],
  );
  if (entries.length === 0) return;
  await mkdir(folder, { recursive: true });
  const indexFile = join(folder, '.pressmark-index');
  await git(['update-index', '-z', '--index-info'], { input: entries.join(''), indexFile });
  await git(['checkout-index', '--all', '--quiet', `--prefix=${folder}/`], { indexFile });
  await rm(indexFile);
}
