import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { discard, isLeftover, writeAtomically } from '../../fs/atomic-write.js';
import { makeBelow } from '../../fs/make-below.js';
import { syncFiles } from '../../fs/sync-files.js';
import { isGone } from '../../store/catalog/entry.js';
import { filesBelow, removeEmptyFolder } from '../write/writer.js';
import type { IndexFile } from './pagefind.js';

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

interface Record {
  readonly generator: 'Pressmark';
  /** The digest of what the index was made of; null while it is being written. */
  readonly of: string | null;
  /** The files of the index and their sizes. */
  readonly files: Readonly<{ [path: string]: number }>;
}

/** The folder of the search's index below `outputDir`. Files in it that are not ours stay. */
export function openSearchFolder(outputDir: string) {
  const root = join(outputDir, SEARCH_FOLDER);

  function readRecord(): Record | undefined {
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

  function writeRecord(of: string | null, files: Record['files']): Promise<void> {
    const record: Record = { generator: 'Pressmark', of, files };
    return put({ path: RECORD, content: Buffer.from(`${JSON.stringify(record)}\n`) });
  }

  /** Whether the folder holds the whole index that was made of what has this digest. */
  function isCurrent(digest: string): boolean {
    const record = readRecord();
    const isThere = ([path, size]: [string, number]) => sizeOf(join(root, path)) === size;
    return record?.of === digest && Object.entries(record.files).every(isThere);
  }

  /** Whether somebody else has put files there: then it is theirs. */
  function isForeign(): boolean {
    return readRecord() === undefined && filesBelow(root).some((path) => !isLeftover(path));
  }

  /**
   * Puts a new index into the place of the old one. A search never meets half of it, nor after a power loss: what
   * the new one needs is written and synced first, then the entry is replaced, and what the old one needed stays until
   * the next time, as a browser that is searching just now may still ask for it.
   *
   * @param digest of what it was made of.
   * @throws Error where the files cannot be synced, and where there is no output folder; the old index stays.
   */
  async function replace(index: readonly IndexFile[], digest: string): Promise<void> {
    const needed = index.filter(({ path }) => INDEX.test(path));
    const before = readRecord()?.files ?? {};
    // First: without its record the folder would pass for somebody else's.
    await writeRecord(null, before);
    for (const file of needed) if (file.path !== ENTRY) await put(file);
    const paths = needed.map(({ path }) => join(root, path));
    if (!(await syncFiles(root, paths, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
    for (const file of needed) if (file.path === ENTRY) await put(file);

    const files = Object.fromEntries(needed.map(({ path, content }) => [path, content.length]));
    for (const path of ownFiles()) if (!(path in files || path in before)) discard(join(root, path));
    await writeRecord(digest, files);
  }

  async function put({ path, content }: IndexFile): Promise<void> {
    const target = join(root, path);
    if (sizeOf(target) === content.length && fs.readFileSync(target).equals(content)) return;
    makeBelow(outputDir, dirname(target));
    // What is named by its content is asked for by nobody before the entry names it.
    if (NAMED_BY_CONTENT.test(path)) fs.writeFileSync(target, content);
    else await writeAtomically(target, content);
  }

  /** The files of indexes, and what a crash has left; the lock keeps other processes away. */
  function ownFiles(): string[] {
    return filesBelow(root).filter((path) => INDEX.test(path) || isLeftover(path));
  }

  /** Removes our files, and the folders that are then empty. */
  function remove(): void {
    if (readRecord() === undefined) return;
    const paths = [...ownFiles(), RECORD]; // last: until then the folder is known to be ours
    for (const path of paths) discard(join(root, path));
    const folders = new Set(paths.map((path) => dirname(join(root, path))));
    for (const folder of [...folders].sort().reverse()) removeEmptyFolder(folder); // those inside first
  }

  return { isCurrent, isForeign, replace, remove };
}

function sizeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.size;
}
