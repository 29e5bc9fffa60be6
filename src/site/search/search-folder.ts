import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { discard, isLeftover, syncHere } from '../../fs/atomic-write.js';
import { makeBelow } from '../../fs/make-below.js';
import { syncFiles } from '../../fs/sync-files.js';
import { isGone } from '../../store/catalog/entry.js';

/** The index's folder below the output folder. */
export const SEARCH_FOLDER = 'pagefind';

/** Says which files of the folder are ours. It lies beside them, as the state folder may be deleted. */
const RECORD = 'pressmark.json';

/** What a search begins with; it names the other files. */
const ENTRY = 'pagefind-entry.json';

const NAMED_BY_CONTENT = /\.pf_\w+$/;

/** How long a sync may take; nobody waits for it. */
const LONGEST_SYNC_MS = 60_000;

/** A file of an index, by its path below the index's folder. */
export interface IndexFile {
  readonly path: string;
  readonly content: Uint8Array;
}

interface Record {
  readonly generator: 'Pressmark';
  /** What the index was made of; null while it is being written. */
  readonly of: string | null;
  /** The files of the index and their sizes. */
  readonly files: Readonly<{ [path: string]: number }>;
  /** Files of the index before: a browser that is searching just now may still ask for them. */
  readonly before: readonly string[];
}

/** The folder of the search's index; see `openSearchFolder`. */
export interface SearchFolder {
  /** Whether the folder holds the whole index that was made of `of`. */
  isCurrent(of: string): boolean;
  /** Whether somebody else has put files there: then it is theirs. */
  isForeign(): boolean;
  /**
   * Puts a new index into the place of the old one. A search never meets half of it, nor after a power loss: what
   * the new one needs is written and synced first, then the entry is replaced, and what the old one needed stays until
   * the next time.
   *
   * @throws Error where the files cannot be synced, and where there is no output folder; the old index stays.
   */
  replace(files: readonly IndexFile[], of: string): Promise<void>;
  /** Removes our files. */
  remove(): void;
}

/** The folder of the search's index below `outputDir`. Files in it that are not ours stay. */
export function openSearchFolder(outputDir: string): SearchFolder {
  const root = join(outputDir, SEARCH_FOLDER);

  function read(): Record | undefined {
    try {
      const record: Record | null = JSON.parse(fs.readFileSync(join(root, RECORD), 'utf8'));
      return record?.generator === 'Pressmark' ? record : undefined;
    } catch (error) {
      if (isGone(error)) return undefined;
      // A power loss has emptied or torn the record of a folder that is ours.
      if (error instanceof SyntaxError) return { generator: 'Pressmark', of: null, files: {}, before: [] };
      throw error;
    }
  }

  function isCurrent(of: string): boolean {
    const record = read();
    if (record?.of !== of) return false;
    return Object.entries(record.files).every(([path, size]) => sizeOf(join(root, path)) === size);
  }

  function isForeign(): boolean {
    return read() === undefined && names(root).some((name) => !isLeftover(name));
  }

  async function replace(files: readonly IndexFile[], of: string): Promise<void> {
    sweep(root);
    const last = read();
    const old = last === undefined ? [] : [...Object.keys(last.files), ...last.before];
    const sizes = Object.fromEntries(files.map(({ path, content }) => [path, content.length]));
    // Said before it is done, so that nothing is left that nobody knows of.
    writeRecord({ generator: 'Pressmark', of: null, files: { ...sizes, ...last?.files }, before: old });
    // On the disk, too: after a power loss a folder without its record would pass for somebody else's.
    syncHere(root);
    for (const { path, content } of files) if (path !== ENTRY) put(path, content);
    const paths = files.map(({ path }) => join(root, path));
    if (!(await syncFiles(root, paths, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
    for (const { path, content } of files) if (path === ENTRY) put(path, content);
    syncHere(root);

    const before = Object.keys(last?.files ?? {}).filter((path) => !(path in sizes));
    const kept = new Set([...Object.keys(sizes), ...before]);
    for (const path of old) if (!kept.has(path)) discard(join(root, path));
    writeRecord({ generator: 'Pressmark', of, files: sizes, before });
  }

  function put(path: string, content: Uint8Array): void {
    const target = join(root, path);
    if (isSame(target, content)) return;
    const temp = join(root, `.pressmark-${randomBytes(8).toString('hex')}.tmp`);
    makeBelow(outputDir, dirname(target));
    try {
      fs.writeFileSync(temp, content);
      // What is named by its content has nothing under its name that could be lost.
      if (!NAMED_BY_CONTENT.test(path)) syncHere(temp);
      fs.renameSync(temp, target);
    } catch (error) {
      discard(temp);
      throw error;
    }
  }

  function writeRecord(record: Record): void {
    put(RECORD, Buffer.from(`${JSON.stringify(record)}\n`));
  }

  function remove(): void {
    const record = read();
    if (record === undefined) return;
    sweep(root);
    const paths = [...Object.keys(record.files), ...record.before];
    for (const path of paths) discard(join(root, path));
    discard(join(root, RECORD)); // last: until then we know what is left to do
    const folders = new Set(paths.map((path) => dirname(join(root, path)))).add(root);
    for (const folder of [...folders].sort().reverse()) prune(folder); // those inside first
  }

  return { isCurrent, isForeign, replace, remove };
}

function sizeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.size;
}

function isSame(path: string, content: Uint8Array): boolean {
  return sizeOf(path) === content.length && fs.readFileSync(path).equals(content);
}

/** Removes what a crash has left behind; the lock keeps everybody else away. */
function sweep(root: string): void {
  for (const name of names(root)) if (isLeftover(name)) discard(join(root, name));
}

function names(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function prune(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!isGone(error) && !['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
  }
}
