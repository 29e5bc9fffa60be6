import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, crc32, gunzipSync, gzipSync } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { discard } from '../../fs/atomic-write.js';
import { contentOf, isDebris } from './damage.js';
import type { Manifest } from './manifest.js';
import { isMarked } from './ownership.js';
import { type StagedFile, stageFile } from './staged-file.js';
import type { Writer } from './writer.js';

/** Smaller files do not get smaller by a packet. */
const SMALLEST = 1_024;

/** The levels at which a page takes 3 ms; the best ones take 70, for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const GZIP = { level: 6 };

interface Kind {
  readonly suffix: string;
  compress(bytes: Buffer): Buffer;
  decompress(bytes: Buffer): Buffer;
}

const KINDS: readonly Kind[] = [
  { suffix: '.br', compress: (bytes) => brotliCompressSync(bytes, BROTLI), decompress: brotliDecompressSync },
  { suffix: '.gz', compress: (bytes) => gzipSync(bytes, GZIP), decompress: gunzipSync },
];

/** Times that are the same to a file system that keeps them less exactly than another. */
const SAME_TIME_MS = 2;

/** Says, in the state folder, that compressed files may be ours: people compress our pages too. */
const NOTE = 'compressed';

/**
 * An output folder in which `x.br` and `x.gz` lie beside every text `x` that Pressmark makes. Nothing is kept about
 * them: one that has its text's time is of that text, and one that unpacks to a text of ours is ours.
 *
 * @param root the folder, absolute.
 * @param stateDir the state folder, absolute.
 */
export function compressingWriter(
  output: Writer,
  manifest: Manifest,
  root: string,
  stateDir: string,
): Writer {
  fs.mkdirSync(stateDir, { recursive: true });
  fs.writeFileSync(join(stateDir, NOTE), '');

  const put: Writer['put'] = (file, content) => {
    const isWritten = output.put(file, content);
    compress(file, isWritten);
    return isWritten;
  };

  const putStaged: Writer['putStaged'] = (file, staged) => {
    const isWritten = output.putStaged(file, staged);
    compress(file, isWritten, isWritten ? staged.compressed : undefined);
    for (const { temp } of staged.compressed ?? []) discard(temp); // those that were not needed
    return isWritten;
  };

  /**
   * Brings the compressed files of a text up to date.
   *
   * @param isWritten whether the text was written just now.
   * @param ready those that a render worker has made of it.
   */
  function compress(file: string, isWritten: boolean, ready: StagedFile['compressed'] = []): void {
    const path = join(root, file);
    const plain = fs.statSync(path, { throwIfNoEntry: false });
    if (plain === undefined) return;
    const due = KINDS.filter(({ suffix }) => !isOfTime(`${path}${suffix}`, plain));
    if (due.length === 0) return;
    const bytes = fs.readFileSync(path);
    if (!isMarked(bytes)) return;
    const written = manifest.files.get(file);
    if (!isWritten && written !== undefined) manifest.setFile(file, written); // a power loss may damage what follows
    for (const { suffix, compress, decompress } of due) {
      const target = `${path}${suffix}`;
      if (!isOurs(target, decompress)) continue;
      const made = ready.find((one) => one.suffix === suffix);
      if (bytes.length < SMALLEST) discard(target);
      else if (made === undefined || !isPlaced(made.temp, plain, target))
        place(compress(bytes), plain, target);
    }
  }

  /** Puts a file that is ready into its place; false where it lies on another file system. */
  function isPlaced(temp: string, { atime, mtime }: fs.Stats, target: string): boolean {
    try {
      fs.utimesSync(temp, atime, mtime);
      fs.renameSync(temp, target);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EXDEV') return false;
      throw error;
    }
  }

  function place(bytes: Buffer, { atime, mtime }: fs.Stats, target: string): void {
    for (const folder of [output.stagingDir, root]) {
      const temp = join(folder, `.pressmark-${randomBytes(8).toString('hex')}.tmp`);
      try {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(temp, bytes);
        fs.utimesSync(temp, atime, mtime);
        fs.renameSync(temp, target);
        return;
      } catch (error) {
        discard(temp);
        if (systemCode(error) !== 'EXDEV' || folder === root) throw error; // else the output is mounted from elsewhere
      }
    }
  }

  function remove(file: string): boolean {
    removeCompressed(root, file);
    return output.remove(file);
  }

  /** Without its compressed files a text counts as not built, so that they come when this is switched on. */
  const intact: Writer['intact'] = (file) => {
    const written = output.intact(file);
    if (written === undefined) return undefined;
    const path = join(root, file);
    const plain = fs.statSync(path, { throwIfNoEntry: false });
    if (plain === undefined) return undefined;
    const isWhole = plain.size < SMALLEST || KINDS.every(({ suffix }) => isOfTime(`${path}${suffix}`, plain));
    return isWhole ? written : undefined;
  };

  return { ...output, put, putStaged, remove, intact };
}

/** Compresses the bytes of a text into new files of a folder, for whoever puts the text into its place. */
export function compressInto(folder: string, bytes: Buffer): NonNullable<StagedFile['compressed']> {
  if (bytes.length < SMALLEST || !isMarked(bytes)) return [];
  return KINDS.map(({ suffix, compress }) => ({ suffix, temp: stageFile(folder, compress(bytes)).temp }));
}

/**
 * Removes what was compressed before that was switched off: a web server would go on sending it in place of texts
 * that have changed since.
 *
 * @param files the texts that Pressmark has made.
 */
export function removeAllCompressed(root: string, stateDir: string, files: Iterable<string>): void {
  if (!fs.existsSync(join(stateDir, NOTE))) return;
  for (const file of files) removeCompressed(root, file);
  discard(join(stateDir, NOTE));
}

/** Removes the compressed files of a text, but none that somebody else has made. */
function removeCompressed(root: string, file: string): void {
  for (const { suffix, decompress } of KINDS) {
    const path = join(root, `${file}${suffix}`);
    if (fs.existsSync(path) && isOurs(path, decompress)) discard(path);
  }
}

function isOfTime(path: string, plain: { readonly mtimeMs: number }): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(stat.mtimeMs - plain.mtimeMs) < SAME_TIME_MS;
}

/** The path of a text, and those of its compressed files, which need not exist. */
export function withCompressed(path: string): string[] {
  return [path, ...KINDS.map(({ suffix }) => `${path}${suffix}`)];
}

/** Whether there is nothing at this path that is not ours. */
function isOurs(path: string, decompress: Kind['decompress']): boolean {
  return !fs.existsSync(path) || isOurText(unpacked(path, decompress));
}

function isOurText(text: Buffer | undefined): text is Buffer {
  return text !== undefined && isMarked(text);
}

/** The text in a compressed file; undefined where there is none. */
function unpacked(path: string, decompress: Kind['decompress']): Buffer | undefined {
  return unpackedOf(fs.readFileSync(path), decompress);
}

/**
 * The compressed files that a power loss has damaged, each with its text: beside texts that are not known to be on the
 * disk, what does not unpack to them and bears our mark, or the time of a text that we have written.
 */
export function* damagedCompressed(
  root: string,
  { unsynced, files }: Pick<Manifest, 'unsynced' | 'files'>,
): Generator<{ readonly file: string; readonly text: string }> {
  for (const [text, { times }] of unsynced) {
    const written = files.get(text);
    const present = fs.statSync(join(root, text), { throwIfNoEntry: false });
    const ours = [...times, ...(present ? [present.mtimeMs] : [])];
    for (const { suffix, decompress } of KINDS) {
      const path = join(root, `${text}${suffix}`);
      const bytes = contentOf(path);
      if (bytes === 'nothing') continue;
      const unpacked = unpackedOf(bytes, decompress);
      if (unpacked !== undefined && crc32(unpacked) === written?.crc) continue;
      const isOfOurs =
        isOurText(unpacked) || isDebris(path, bytes) || ours.some((mtimeMs) => isOfTime(path, { mtimeMs }));
      if (isOfOurs) yield { file: `${text}${suffix}`, text };
    }
  }
}

function unpackedOf(bytes: Buffer | string, decompress: Kind['decompress']): Buffer | undefined {
  if (typeof bytes === 'string') return undefined;
  try {
    return decompress(bytes);
  } catch {
    return undefined; // no compressed text at all
  }
}

/** A compressed file that is not as a build would leave it; its path is below the output folder. */
export interface CompressedDifference {
  readonly file: string;
  readonly is: 'missing' | 'different' | 'surplus';
}

/** Whether compressed files in the output may be ours, also where that has been switched off since. */
export function isEverCompressed(stateDir: string, compress: boolean): boolean {
  return compress || fs.existsSync(join(stateDir, NOTE));
}

/**
 * Compares the compressed files of a text with it.
 *
 * @param bytes the text as a build makes it.
 * @param compress whether such files are wanted.
 */
export function compareCompressed(
  root: string,
  file: string,
  bytes: Buffer,
  compress: boolean,
): CompressedDifference[] {
  if (!isMarked(bytes)) return [];
  const isWanted = compress && bytes.length >= SMALLEST;
  return KINDS.flatMap(({ suffix, decompress }): CompressedDifference[] => {
    const name = `${file}${suffix}`;
    const path = join(root, name);
    if (!fs.existsSync(path)) return isWanted ? [{ file: name, is: 'missing' }] : [];
    const text = unpacked(path, decompress);
    if (!isOurText(text)) return [];
    if (!isWanted) return [{ file: name, is: 'surplus' }];
    return text.equals(bytes) ? [] : [{ file: name, is: 'different' }];
  });
}

/** The names of texts; a person's packed copy of a whole site bears our mark too, and is none. */
const OF_TEXTS = /\.(?:html|xml|json|css|svg|txt)$/;

/**
 * The compressed files of ours among `files` whose text is no more.
 *
 * @param isText whether a build makes this text.
 */
export function compressedLeftovers(
  root: string,
  files: readonly string[],
  isText: (file: string) => boolean,
): string[] {
  return files.filter((file) => {
    const kind = KINDS.find(({ suffix }) => file.endsWith(suffix));
    const text = kind === undefined ? '' : file.slice(0, -kind.suffix.length);
    if (kind === undefined || !OF_TEXTS.test(text) || isText(text)) return false;
    return isOurText(unpacked(join(root, file), kind.decompress));
  });
}

/** Removes the compressed files of ours among `files` whose text is no more; see `compressedLeftovers`. */
export function removeLeftovers(
  root: string,
  files: readonly string[],
  isText: (file: string) => boolean,
): void {
  for (const file of compressedLeftovers(root, files, isText)) discard(join(root, file));
}
