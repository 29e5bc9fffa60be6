import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { discard, isLeftover, syncHere } from '../../fs/atomic-write.js';
import { makeBelow } from '../../fs/make-below.js';
import { syncFiles } from '../../fs/sync-files.js';
import { isGone } from '../../store/catalog/entry.js';
import { filesBelow } from '../write/writer.js';

/** The index's folder below the output folder. */
export const SEARCH_FOLDER = 'pagefind';

/** Says that the folder is ours, and what it holds. It lies there, as the state folder may be deleted. */
const RECORD = 'pressmark.json';

/** What a search begins with; it names the other files. */
const ENTRY = 'pagefind-entry.json';

/** Of what Pagefind makes, what our own search page needs: not its ready-made forms. */
const INDEX = /^(?:pagefind\.js|pagefind-worker\.js|pagefind-entry\.json|wasm\.[\w-]+\.pagefind|.*\.pf_\w+)$/;

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
}

/** The folder of the search's index below `outputDir`. Files in it that are not ours stay. */
export function openSearchFolder(outputDir: string) {
  const root = join(outputDir, SEARCH_FOLDER);

  function read(): Record | undefined {
    try {
      const record: Record | null = JSON.parse(fs.readFileSync(join(root, RECORD), 'utf8'));
      return record?.generator === 'Pressmark' ? record : undefined;
    } catch (error) {
      if (isGone(error)) return undefined;
      // A power loss has emptied or torn the record of a folder that is ours.
      if (error instanceof SyntaxError) return { generator: 'Pressmark', of: null, files: {} };
      throw error;
    }
  }

  /** Whether the folder holds the whole index that was made of `of`. */
  function isCurrent(of: string): boolean {
    const record = read();
    return (
      record?.of === of &&
      Object.entries(record.files).every(([path, size]) => sizeOf(join(root, path)) === size)
    );
  }

  /** Whether somebody else has put files there: then it is theirs. */
  function isForeign(): boolean {
    return read() === undefined && filesBelow(root).some((path) => !isLeftover(path));
  }

  /**
   * Puts a new index into the place of the old one. A search never meets half of it, nor after a power loss: what
   * the new one needs is written and synced first, then the entry is replaced, and what the old one needed stays until
   * the next time, as a browser that is searching just now may still ask for it.
   *
   * @throws Error where the files cannot be synced, and where there is no output folder; the old index stays.
   */
  async function replace(index: readonly IndexFile[], of: string): Promise<void> {
    const needed = index.filter(({ path }) => INDEX.test(path));
    const before = read()?.files ?? {};
    // Said before it is done, and on the disk: without its record the folder would pass for somebody else's.
    put(RECORD, recordOf(null, before));
    syncHere(root);
    for (const { path, content } of needed) if (path !== ENTRY) put(path, content);
    const paths = needed.map(({ path }) => join(root, path));
    if (!(await syncFiles(root, paths, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
    for (const { path, content } of needed) if (path === ENTRY) put(path, content);
    syncHere(root);

    const files = Object.fromEntries(needed.map(({ path, content }) => [path, content.length]));
    for (const path of ours()) if (!(path in files || path in before)) discard(join(root, path));
    put(RECORD, recordOf(of, files));
  }

  function put(path: string, content: Uint8Array): void {
    const target = join(root, path);
    if (sizeOf(target) === content.length && fs.readFileSync(target).equals(content)) return;
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

  /** The files of indexes, and what a crash has left; the lock keeps everybody else away. */
  function ours(): string[] {
    return filesBelow(root).filter((path) => INDEX.test(path) || isLeftover(path));
  }

  /** Removes our files. */
  function remove(): void {
    if (read() === undefined) return;
    const paths = [...ours(), RECORD]; // last: until then we know what is left to do
    for (const path of paths) discard(join(root, path));
    const folders = new Set(paths.map((path) => dirname(join(root, path))));
    for (const folder of [...folders].sort().reverse()) prune(folder); // those inside first
  }

  return { isCurrent, isForeign, replace, remove };
}

function recordOf(of: string | null, files: Record['files']): Uint8Array {
  return Buffer.from(`${JSON.stringify({ generator: 'Pressmark', of, files } satisfies Record)}\n`);
}

function sizeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.size;
}

function prune(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!isGone(error) && !['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
  }
}
