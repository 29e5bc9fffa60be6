import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { discard, isLeftover, writeAtomically } from '../../fs/atomic-write.js';
import { makeBelow } from '../../fs/make-below.js';
import { syncFiles } from '../../fs/sync-files.js';
import { isGone } from '../../store/catalog/entry.js';
import { contentOf, isBlankOrZeroed } from '../write/ownership.js';
import { stageFile } from '../write/staged-file.js';
import { filesBelow, removeEmptyFolder } from '../write/writer.js';

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

/** Identifies the content of the index below `outputDir`; empty where there is none. Its entry names the other files by their hashes. */
export function indexVersion(outputDir: string): string {
  const entry = contentOf(join(outputDir, SEARCH_FOLDER, ENTRY));
  return entry === undefined ? '' : hash('sha256', entry).slice(0, 12);
}

/** A file of an index, by its path below the index's folder. */
export interface IndexFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Checksums of files by their paths; undefined where nothing is there. */
type Checksums = Readonly<{ [path: string]: number | undefined }>;

/** What Pressmark has written in the folder: each of these files is as `index` has it or as `former` has it. */
interface IndexRecord {
  readonly generator: 'Pressmark';
  /** The hash of what the index was made of; null where that is not known. */
  readonly of: string | null;
  /** The newest index; where its job was killed, some of its files are not in their places. */
  readonly index: Checksums;
  /** What was there when its job began. */
  readonly former: Checksums;
}

const NO_RECORD: IndexRecord = { generator: 'Pressmark', of: null, index: {}, former: {} };

/** The folder of the search's index below `outputDir`. Files in it that are not ours stay. */
export function openSearchFolder(outputDir: string) {
  const root = join(outputDir, SEARCH_FOLDER);

  function readRecord(): IndexRecord | undefined {
    try {
      const record: Partial<IndexRecord> | null = JSON.parse(fs.readFileSync(join(root, RECORD), 'utf8'));
      if (record?.generator !== 'Pressmark') return undefined;
      if (record.index !== undefined) return { ...NO_RECORD, ...record };
    } catch (error) {
      if (isGone(error)) return undefined;
      if (!(error instanceof SyntaxError)) throw error;
    }
    // The folder is ours, but another version has written the record, or something has torn it.
    return { ...NO_RECORD, index: checksums(filesBelow(root).filter((path) => INDEX.test(path))) };
  }

  /** The checksum of what somebody has written in a file; undefined where that is nothing. */
  function crcOf(path: string): number | undefined {
    const content = contentOf(join(root, path));
    return content === undefined || isBlankOrZeroed(path, content) ? undefined : crc32(content);
  }

  function checksums(paths: readonly string[]): Checksums {
    return Object.fromEntries(paths.map((path) => [path, crcOf(path)]));
  }

  function isTheirs(path: string, { index, former }: IndexRecord): boolean {
    if ([undefined, index[path], former[path]].includes(crcOf(path))) return false;
    // Before the new entry is there, a power loss may have torn what it is to name.
    return !(path in index && NAMED_BY_CONTENT.test(path) && crcOf(ENTRY) === former[ENTRY]);
  }

  /** Whether every file of the newest index is in its place. */
  function isWhole({ index }: IndexRecord): boolean {
    return Object.entries(index).every(([path, crc]) => crcOf(path) === crc);
  }

  /** Whether the folder holds the whole index that was made of what has this hash. */
  function isCurrent(sourceHash: string): boolean {
    const record = readRecord();
    return record?.of === sourceHash && isWhole(record);
  }

  /** Whether Pressmark has written an index there. */
  const isOurs = () => readRecord() !== undefined;

  /** Whether somebody else has put an index there, or files of one: then it is theirs. */
  function isForeign(): boolean {
    const record = readRecord();
    if (record === undefined) return filesBelow(root).some((path) => !isLeftover(path));
    return Object.keys(record.index).some((path) => isTheirs(path, record));
  }

  /** The recorded files but those that somebody has changed. */
  function ownFiles(record: IndexRecord): readonly string[] {
    return Object.keys({ ...record.former, ...record.index }).filter((path) => !isTheirs(path, record));
  }

  /** The folders in which files of these paths are, the innermost first. */
  function foldersOf(paths: readonly string[]): readonly string[] {
    return [...new Set([root, ...paths.map((path) => dirname(join(root, path)))])].sort().reverse();
  }

  /**
   * Puts a new index into the place of the old one. While the version of Pagefind stays the same, a search never gets half
   * of it, nor after a power loss: what the new one needs is written and synced first, then the entry is replaced, and
   * what the old one needed stays until the next time, as a browser that is searching may still ask for it.
   *
   * @param sourceHash of what it was made of; null where pages were missing.
   * @returns false where a file of one of these names is somebody else's; the old index stays.
   * @throws Error where the files cannot be synced, and where there is no output folder; the old index stays.
   */
  async function replace(files: readonly IndexFile[], sourceHash: string | null): Promise<boolean> {
    const last = readRecord() ?? NO_RECORD;
    const former = checksums(ownFiles(last));
    const needed = files.filter(({ path }) => INDEX.test(path));
    const index = Object.fromEntries(needed.map(({ path, content }) => [path, crc32(content)]));
    if (Object.keys(index).some((path) => crcOf(path) !== index[path] && isTheirs(path, last))) return false;
    // Where the last job was killed, nobody knows of which index a browser has the entry.
    const isUnused = (path: string) => !(path in last.index || path in index);
    const unused = isWhole(last) ? Object.keys(former).filter(isUnused) : [];
    for (const folder of foldersOf(Object.keys(index))) makeBelow(outputDir, folder);
    const record: IndexRecord = { generator: 'Pressmark', of: sourceHash, index, former };
    await writeAtomically(join(root, RECORD), `${JSON.stringify(record)}\n`);
    const due = needed
      .filter(({ path }) => index[path] !== former[path])
      .sort((a, b) => Number(a.path === ENTRY) - Number(b.path === ENTRY)); // the entry last
    for (const { path, content } of due)
      if (NAMED_BY_CONTENT.test(path)) fs.renameSync(stageFile(root, content).temp, join(root, path));
    const paths = Object.keys(index).map((path) => join(root, path));
    if (!(await syncFiles(root, paths, LONGEST_SYNC_MS))) throw new Error('the index could not be synced');
    for (const { path, content } of due)
      if (!NAMED_BY_CONTENT.test(path)) await writeAtomically(join(root, path), content);
    for (const path of unused) discard(join(root, path));
    discardLeftovers();
    return true;
  }

  /** Removes what a killed job has left; the lock keeps others away. */
  function discardLeftovers(): void {
    for (const path of filesBelow(root)) if (isLeftover(path)) discard(join(root, path));
  }

  /** Removes our files, and the folders that are then empty. The lock keeps others away. */
  function remove(): void {
    const record = readRecord();
    if (record === undefined) return;
    for (const path of ownFiles(record)) discard(join(root, path));
    discardLeftovers();
    discard(join(root, RECORD)); // last: until then the folder is known to be ours
    for (const folder of foldersOf(Object.keys({ ...record.former, ...record.index })))
      removeEmptyFolder(folder);
  }

  return { isCurrent, isOurs, isForeign, replace, remove };
}
