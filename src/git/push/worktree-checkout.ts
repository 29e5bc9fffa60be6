import { hash } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stage, syncFile } from '../../fs/atomic-write.js';
import type { TreeChange } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
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

interface Wanted {
  readonly change: TreeChange;
  readonly now: WorkFile;
}

const EDITED = 'it was changed here and not committed; what the branch has is in HEAD';
const KEPT = /^kept-([0-9a-f]{64})-/;

/** Files that are replaced before others get the store's lock: deliveries wait for it. */
const FILES_PER_TURN = 100;

/**
 * Makes the changes between two commits to the files of the work tree. A file that a person has edited, removed or added
 * is left alone, whatever the commits say. Each file is replaced by one rename, so that no reader sees half of it. The
 * files are made without the store's lock, and get their names under it.
 *
 * @param isCommitted finds the contents that the commits in between have at some paths; such a content is not an edit.
 * @param staging the folder in which files are made before they get their names; on the file system of the work tree.
 * @param beforeWrite called before a file is written; resolves with a function that is called where it was not.
 */
export async function checkOutChanges(
  repository: Repository,
  changes: readonly TreeChange[],
  isCommitted: (paths: readonly string[]) => Promise<ReadonlySet<string>>,
  staging: string,
  storeLock: Pick<StoreLock, 'run'>,
  beforeWrite: (change: TreeChange) => Promise<() => Promise<void>> = async () => async () => undefined,
): Promise<WorktreeCheckout> {
  const notFollowed: NotFollowed[] = [];
  /** The second name of each file that was written: while it has one, no other file gets its inode. */
  const written = new Map<string, string>();
  const wanted: Wanted[] = [];
  // Removals first: a file may come where a folder was.
  for (const change of [...changes].sort((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
    const { path, before, after } = change;
    const why = unwritable(repository, path);
    const now = why === undefined ? workFileAt(join(repository.top, path)) : undefined;
    if (why !== undefined) notFollowed.push({ path, why, isEdited: false });
    else if (isItem(repository, now, after) || after?.mode === SUBMODULE) continue;
    else if (before !== null && now === undefined) notFollowed.push({ path, why: EDITED, isEdited: true });
    else wanted.push({ change, now });
  }
  if (wanted.length === 0) return { notFollowed, replaced: () => [], close: async () => undefined };
  await mkdir(staging, { recursive: true });
  const folder = await mkdtemp(join(staging, 'take-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    // A clean filter or a line end setting makes files of other bytes than the commit has.
    const unsure = new Set(wanted.filter(({ change, now }) => !isItem(repository, now, change.before)));
    await checkOut(repository, wanted, 'after', join(folder, 'after'));
    await checkOut(repository, [...unsure], 'before', join(folder, 'before'));
    const committed =
      unsure.size === 0 ? new Set<string>() : await isCommitted([...unsure].map(({ change }) => change.path));
    const due: (Wanted & { readonly made: string })[] = [];
    for (const one of wanted) {
      const { change, now } = one;
      const { path, after } = change;
      const made = join(folder, 'after', path);
      if (after !== null && isSame(workFileAt(made), now)) continue;
      const isKnown =
        !unsure.has(one) ||
        (now !== undefined && committed.has(`${blobId(repository, now.content)} ${path}`)) ||
        isSame(workFileAt(join(folder, 'before', path)), now);
      if (isKnown) due.push({ ...one, made });
      else notFollowed.push({ path, why: EDITED, isEdited: true });
      if (isKnown && after !== null && after.mode !== LINK) await syncFile(made);
    }
    let count = 0;
    const replaceDue = async ({ change, now, made }: (typeof due)[number]) => {
      const { path, after } = change;
      const second = join(folder, `put-${++count}`);
      if (after !== null) fs.linkSync(made, second);
      const rollBack = await beforeWrite(change);
      const kept = join(folder, `kept-${digestOf(now?.content)}-${count}`);
      if (await replaceFile(repository, path, now, after === null ? null : made, kept)) {
        if (after !== null) written.set(path, second);
        return;
      }
      await rollBack();
      notFollowed.push({ path, why: EDITED, isEdited: true });
    };
    for (let start = 0; start < due.length; start += FILES_PER_TURN)
      await storeLock.run(async () => {
        for (const one of due.slice(start, start + FILES_PER_TURN)) await replaceDue(one);
      });
  } catch (error) {
    await close();
    throw error;
  }
  const isReplaced = ([path, second]: [string, string]) =>
    fs.lstatSync(join(repository.top, path), { throwIfNoEntry: false })?.ino !== fs.lstatSync(second).ino;
  return { notFollowed, replaced: () => [...written].filter(isReplaced).map(([path]) => path), close };
}

/** An article's file whose commit is on the remote already. */
export interface ArticleFile {
  /** From the top of the work tree. */
  readonly path: string;
  readonly text: string;
  /** The whole text of the file that it replaces; null for a new one. */
  readonly replaces: string | null;
}

/**
 * Writes articles' files into the work tree, in parallel.
 *
 * @param staging the folder in which they are made before they get their names; on the file system of the work tree.
 * @returns for each whether it is there now; false where a person's own file is in its place.
 */
export async function writeArticles(
  repository: Repository,
  files: readonly ArticleFile[],
  staging: string,
): Promise<boolean[]> {
  await mkdir(staging, { recursive: true });
  const folder = await mkdtemp(join(staging, 'take-'));
  try {
    return await Promise.all(files.map((file, index) => writeArticle(repository, file, folder, index)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeArticle(
  repository: Repository,
  { path, text, replaces }: ArticleFile,
  folder: string,
  index: number,
): Promise<boolean> {
  if (unwritable(repository, path) !== undefined) return false;
  const now = workFileAt(join(repository.top, path));
  const content = Buffer.from(text);
  if (isSame({ content, isLink: false }, now)) return true;
  const expected = replaces === null ? undefined : { content: Buffer.from(replaces), isLink: false };
  if (!isSame(expected, now)) return false;
  const { temp } = await stage(folder, content);
  return replaceFile(repository, path, now, temp, join(folder, `kept-${digestOf(now?.content)}-${index}`));
}

const SUBMODULE = '160000';
const LINK = '120000';

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

function isItem(repository: Repository, now: WorkFile, item: TreeChange['after']): boolean {
  if (now === undefined || item === null) return now === undefined && item === null;
  return now.isLink === (item.mode === LINK) && blobId(repository, now.content) === item.id;
}

function digestOf(content: Buffer | undefined): string {
  return hash('sha256', content ?? '');
}

/**
 * Removes what a killed process has left in the staging folder. A file that a person saved at the moment in which it was
 * replaced is theirs: it gets a name of its own in `top`.
 *
 * @returns the names of such files.
 */
export async function sweepStaging(staging: string, top: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of fs.existsSync(staging) ? fs.readdirSync(staging) : []) {
    if (!name.startsWith('take-')) continue;
    const folder = join(staging, name);
    for (const file of fs.readdirSync(folder)) {
      const mark = KEPT.exec(file)?.[1];
      if (mark === undefined || digestOf(workFileAt(join(folder, file))?.content) === mark) continue;
      const recovered = `recovered-${mark.slice(0, 12)}`;
      fs.renameSync(join(folder, file), join(top, recovered));
      found.push(recovered);
    }
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}
