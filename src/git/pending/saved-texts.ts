import { hash, randomBytes } from 'node:crypto';
import { type Dirent, renameSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { discard, makeDirectory, type Staged, stage, syncDirectory } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';

/** An article's text as it was when an update replaced it. */
export interface SavedText {
  /** What it is called among the saved ones. */
  readonly name: string;
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  /** The commit that HEAD was at then: null before the first, undefined where git did not say. */
  readonly before: string | null | undefined;
  /** The whole file. */
  readonly bytes: Buffer;
}

/** The texts that wait on the disk for their commits; see `createSavedTexts`. */
export type SavedTexts = ReturnType<typeof createSavedTexts>;

/** The folder of what waits for its commit, below the state folder. */
export const REPLACED = 'replaced';
/** The folder of people's edits that get no commit, below the state folder; they are their owners' now. */
export const LEFT_EDITS = 'left-edits';

/** What the path makes, so that those of one article are found by their names, and what nobody else comes upon. */
const NAME = /^[0-9a-f]{20}-[0-9a-f]{40}$/;
/** So many bytes a file's name may have nearly everywhere; some are for what makes it unique. */
const MAX_NAME_BYTES = 200;

/**
 * Keeps texts that updates replace in files of their own: between the moment in which an article's file loses such a
 * text and the moment in which its commit is made, no kill and no power loss takes it away.
 *
 * @param stateDir where they are kept, absolute.
 * @param staging a folder beside it for what is half written; it is swept at each start.
 */
export function createSavedTexts(stateDir: string, staging: string, log: Log) {
  const folder = join(stateDir, REPLACED);
  const left = join(stateDir, LEFT_EDITS);
  /** Those that are kept by this process. */
  const own = new Set<string>();
  /** Folders whose own entry is known to be on the disk. */
  const durable = new Set<string>();

  /**
   * Keeps a text. Resolves with its name when it is durable; each time another one, as who keeps the same text for an
   * update that then fails takes back nobody else's.
   */
  async function keep({ path, before, bytes }: Omit<SavedText, 'name'>): Promise<string> {
    const name = `${prefixOf(path)}${randomBytes(20).toString('hex')}`;
    const header = Buffer.from(`${JSON.stringify({ path, before })}\n`);
    await place(folder, name, Buffer.concat([header, bytes]));
    own.add(name);
    return name;
  }

  async function place(where: string, name: string, bytes: Buffer): Promise<void> {
    const { temp } = await stageAnyhow(bytes);
    try {
      makeDirectory(where);
      renameSync(temp, join(where, name));
    } catch (error) {
      discard(temp);
      throw error;
    }
    await syncDirectory(where);
    if (durable.has(where)) return;
    await syncDirectory(stateDir);
    durable.add(where);
  }

  /** The folder may have been removed meanwhile. */
  async function stageAnyhow(bytes: Buffer): Promise<Staged> {
    try {
      return await stage(staging, bytes);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      makeDirectory(staging);
      durable.clear();
      return stage(staging, bytes);
    }
  }

  /** The names of those that are kept, oldest first; of one article's, where its path is given. */
  async function names(path?: string): Promise<string[]> {
    const prefix = path === undefined ? '' : prefixOf(path);
    const found: { name: string; at: number }[] = [];
    for (const { name } of await entriesOf(folder)) {
      if (!NAME.test(name) || !name.startsWith(prefix)) continue;
      const at = await unlessGone(stat(join(folder, name)));
      if (at !== undefined) found.push({ name, at: at.mtimeMs });
    }
    return found.sort((a, b) => a.at - b.at).map(({ name }) => name);
  }

  /** One of them; undefined where another receiver has seen to it, or where the file holds something else. */
  async function read(name: string): Promise<SavedText | undefined> {
    const content = await unlessGone(readFile(join(folder, name)));
    if (content === undefined) return undefined;
    const end = content.indexOf('\n');
    try {
      const header: Record<string, unknown> = JSON.parse(content.toString('utf8', 0, end)) ?? {};
      const { path, before } = header;
      if (typeof path !== 'string') throw new Error('it names no path');
      const commit = typeof before === 'string' || before === null ? before : undefined;
      return { name, path, before: commit, bytes: content.subarray(end + 1) };
    } catch (error) {
      log.warn(
        { file: join(folder, name), reason: messageOf(error) },
        'not one of Pressmark’s files, or a broken one; look into it and remove it',
      );
      return undefined;
    }
  }

  async function drop(name: string): Promise<void> {
    await rm(join(folder, name), { force: true });
    own.delete(name);
  }

  /** Leaves an edit to its owner, as a file that they can read. @returns that file, relative to the state folder. */
  async function leave({ name, path, bytes }: SavedText): Promise<string> {
    const title = Buffer.from(basename(path, extname(path))).toString('utf8', 0, MAX_NAME_BYTES);
    const readable = `${title.replaceAll('\ufffd', '')}-${name.slice(-8)}.md`;
    await place(left, readable, bytes);
    await drop(name);
    return `${LEFT_EDITS}/${readable}`;
  }

  return { keep, names, read, drop, leave, isOwn: (name: string) => own.has(name) };
}

function prefixOf(path: string): string {
  return `${hash('sha256', path).slice(0, 20)}-`;
}

/** The edits that were left to their owners, relative to the state folder. */
export async function leftEdits(stateDir: string): Promise<string[]> {
  const entries = await entriesOf(join(stateDir, LEFT_EDITS));
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${LEFT_EDITS}/${name}`);
}

/** How many replaced texts wait for their commits, be it in vain. */
export async function countReplaced(stateDir: string): Promise<number> {
  return (await entriesOf(join(stateDir, REPLACED))).filter(({ name }) => NAME.test(name)).length;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [];
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
