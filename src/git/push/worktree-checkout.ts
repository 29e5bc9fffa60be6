import { hash } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { putNew, stage, syncFile } from '../../fs/atomic-write.js';
import type { TreeChange } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
import { checkOut } from './checkout-index.js';

/** A change that was not made to the work tree, and why. */
export interface LeftAlone {
  readonly path: string;
  readonly why: string;
  /** Whether it is a person's doing there that is left as it is. */
  readonly isTheirs: boolean;
}

/** What became of changes to the work tree. */
export interface WorkTreeChanged {
  readonly left: LeftAlone[];
  /** The files that were put there and are not any more: somebody else has put theirs in their place. */
  replaced(): string[];
  /** Ends the telling of that. */
  close(): Promise<void>;
}

/** What stands at a path; undefined where nothing does. */
type Standing = { readonly content: Buffer; readonly isLink: boolean } | undefined;

interface Wanted {
  readonly change: TreeChange;
  readonly now: Standing;
}

const EDITED = 'it was changed here and not committed; what the branch has is in HEAD';
const KEPT = /^kept-([0-9a-f]{64})-/;

/**
 * Makes changes between two commits to the files of the work tree. What a person has there, edited, removed or
 * new, is left alone, whatever the commits say. Each file changes by one rename, so no reader sees half of it.
 *
 * @param isCommitted whether the commits in between have this content at this path; then it is nobody's edit.
 * @param staging where files are made ready; on the file system of the work tree.
 */
export async function changeWorkFiles(
  repository: Repository,
  changes: readonly TreeChange[],
  isCommitted: (paths: readonly string[]) => Promise<ReadonlySet<string>>,
  staging: string,
): Promise<WorkTreeChanged> {
  const left: LeftAlone[] = [];
  /** The second name of each file that was put there: while it has one, no other file gets its inode. */
  const put = new Map<string, string>();
  const wanted: Wanted[] = [];
  // Removals first: a file may come where a folder was.
  for (const change of [...changes].sort((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
    const { path, before, after } = change;
    const why = reasonAgainst(repository, path);
    const now = why === undefined ? standingAt(join(repository.top, path)) : undefined;
    if (why !== undefined) left.push({ path, why, isTheirs: false });
    else if (isIt(repository, now, after) || after?.mode === SUBMODULE) continue;
    else if (before !== null && now === undefined) left.push({ path, why: EDITED, isTheirs: true });
    else wanted.push({ change, now });
  }
  if (wanted.length === 0) return { left, replaced: () => [], close: async () => undefined };
  await mkdir(staging, { recursive: true });
  const folder = await mkdtemp(join(staging, 'take-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    // A clean filter or a line end setting makes files of other bytes than the commit has.
    const unsure = wanted.filter(({ change, now }) => !isIt(repository, now, change.before));
    await checkOut(repository, itemsOf(wanted, 'after'), join(folder, 'after'));
    await checkOut(repository, itemsOf(unsure, 'before'), join(folder, 'before'));
    const committed =
      unsure.length === 0 ? new Set<string>() : await isCommitted(unsure.map(({ change }) => change.path));
    for (const [index, { change, now }] of wanted.entries()) {
      const { path } = change;
      const made = join(folder, 'after', path);
      if (change.after !== null && isSame(standingAt(made), now)) continue;
      const isKnown =
        !unsure.some((one) => one.change === change) ||
        (now !== undefined && committed.has(`${blobId(repository, now.content)} ${path}`));
      const decided = isKnown ? now : standingAt(join(folder, 'before', path));
      const kept = join(folder, `kept-${digestOf(now?.content)}-${index}`);
      if (change.after !== null && change.after.mode !== LINK) await syncFile(made);
      const second = change.after === null ? undefined : join(folder, `put-${index}`);
      if (second !== undefined) fs.linkSync(made, second);
      const isPut = isSame(decided, now) && (await putFile(repository, change, now, made, kept));
      if (!isPut) left.push({ path, why: EDITED, isTheirs: true });
      else if (second !== undefined) put.set(path, second);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const isReplaced = ([path, second]: [string, string]) =>
    fs.lstatSync(join(repository.top, path), { throwIfNoEntry: false })?.ino !== fs.lstatSync(second).ino;
  return { left, replaced: () => [...put].filter(isReplaced).map(([path]) => path), close };
}

/** An article's file that was committed elsewhere than in the work tree. */
export interface OwnFile {
  /** From the top of the work tree. */
  readonly path: string;
  readonly text: string;
  /** The whole text of the file that it replaces; null for a new one. */
  readonly replaces: string | null;
}

/**
 * Writes articles' files into the work tree, side by side.
 *
 * @param staging where they are made ready; on the file system of the work tree.
 * @returns for each whether it is there now; false where a person's own stands there.
 */
export async function putOwnFiles(
  repository: Repository,
  files: readonly OwnFile[],
  staging: string,
): Promise<boolean[]> {
  await mkdir(staging, { recursive: true });
  const folder = await mkdtemp(join(staging, 'take-'));
  try {
    return await Promise.all(files.map((file, index) => putOwnFile(repository, file, folder, index)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function putOwnFile(
  repository: Repository,
  { path, text, replaces }: OwnFile,
  folder: string,
  index: number,
): Promise<boolean> {
  if (reasonAgainst(repository, path) !== undefined) return false;
  const now = standingAt(join(repository.top, path));
  const content = Buffer.from(text);
  if (isSame({ content, isLink: false }, now)) return true;
  const decided = replaces === null ? undefined : { content: Buffer.from(replaces), isLink: false };
  if (!isSame(decided, now)) return false;
  const { temp } = await stage(folder, content);
  const change = { path, before: null, after: { mode: FILE, id: '' } };
  return putFile(repository, change, now, temp, join(folder, `kept-${digestOf(now?.content)}-${index}`));
}

const FILE = '100644';
const SUBMODULE = '160000';
const LINK = '120000';

function itemsOf(wanted: readonly Wanted[], side: 'before' | 'after') {
  return wanted.flatMap(({ change }) => {
    const item = change[side];
    return item === null ? [] : [{ path: change.path, ...item }];
  });
}

/** Replaces what was decided upon; false where it has become something else meanwhile. */
async function putFile(
  repository: Repository,
  { path, after }: TreeChange,
  now: Standing,
  made: string,
  kept: string,
): Promise<boolean> {
  const target = join(repository.top, path);
  if (now === undefined) {
    await mkdir(dirname(target), { recursive: true });
    return putNew(made, target);
  }
  // Under its second name the old file can be looked at again: somebody may have it open, and save.
  fs.linkSync(target, kept);
  if (!isSame(standingAt(kept), now) || fs.lstatSync(kept).ino !== fs.lstatSync(target).ino) return false;
  if (after === null) fs.unlinkSync(target);
  else fs.renameSync(made, target);
  if (!isSame(standingAt(kept), now)) {
    fs.renameSync(kept, target);
    return false;
  }
  if (after === null) removeEmptyFolders(repository.top, dirname(target));
  return true;
}

/** As git does it: a folder without files is no folder. */
function removeEmptyFolders(top: string, folder: string): void {
  for (let at = folder; at.length > top.length; at = dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch {
      return; // something is left in it
    }
  }
}

/** Why nothing is written at a path: what a commit names must stay in the work tree and out of git's own folder. */
export function reasonAgainst({ top }: Repository, path: string): string | undefined {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$|^git~\d+$/i.test(part)))
    return 'such a path is not written';
  for (let at = dirname(join(top, path)); at.length > top.length; at = dirname(at)) {
    if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return 'it lies behind a symbolic link';
  }
  return undefined;
}

function standingAt(path: string): Standing {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return undefined;
  return stat.isSymbolicLink()
    ? { content: Buffer.from(fs.readlinkSync(path)), isLink: true }
    : { content: fs.readFileSync(path), isLink: false };
}

function isIt(repository: Repository, now: Standing, item: TreeChange['after']): boolean {
  if (now === undefined || item === null) return now === undefined && item === null;
  return now.isLink === (item.mode === LINK) && blobId(repository, now.content) === item.id;
}

function isSame(a: Standing, b: Standing): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.isLink === b.isLink && a.content.equals(b.content);
}

function digestOf(content: Buffer | undefined): string {
  return hash('sha256', content ?? '');
}

/**
 * Removes what a killed process has left where files are made ready. A file that a person saved into at that very
 * moment is theirs: it is brought to light under a name of its own.
 *
 * @returns the names that were brought to light, in `top`.
 */
export async function sweepStaging(staging: string, top: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of fs.existsSync(staging) ? fs.readdirSync(staging) : []) {
    if (!name.startsWith('take-')) continue;
    const folder = join(staging, name);
    for (const file of fs.readdirSync(folder)) {
      const mark = KEPT.exec(file)?.[1];
      if (mark === undefined || digestOf(standingAt(join(folder, file))?.content) === mark) continue;
      const recovered = `recovered-${mark.slice(0, 12)}`;
      fs.renameSync(join(folder, file), join(top, recovered));
      found.push(recovered);
    }
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}
