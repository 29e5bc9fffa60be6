import fs from 'node:fs/promises';
import { systemCode } from '../errors.js';
import { linesIn, shortenLines, textOf } from './line-log.js';

/** Records in a file, each a line of JSON; see `keepLines`. */
export interface KeptLines<Line> {
  note(line: Line): void;
  /** Everything that is kept, the oldest first. */
  all(): Promise<Line[]>;
  /** Writes what has not been written yet. */
  close(): Promise<void>;
}

/** How lines are kept. */
export interface KeptLinesOptions<Line> {
  readonly path: string;
  /** Which of the lines stay, the oldest first. */
  keep(lines: readonly Line[]): readonly Line[];
  /** Whether a line that was read is one. */
  isLine(value: unknown): value is Line;
  /** Called where the file cannot be written, as on a full disk. The lines are tried again with the next ones. */
  onFailure(error: unknown): void;
  /** A longer file is written anew with the lines that stay, in bytes. @default 1000000 */
  readonly longest?: number;
}

/** How long lines gather before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

const LONGEST = 1_000_000;

/**
 * Keeps the last of many records in a file that several processes share: each appends its own. It is a hint for people: the
 * last lines before a kill are not in it. Appending holds up no answer; only writing the file anew does, for the time of its
 * syncs.
 */
export function keepLines<Line>(options: KeptLinesOptions<Line>): KeptLines<Line> {
  const { path, keep, isLine, onFailure, longest = LONGEST } = options;
  let unwritten: Line[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  /** What was read last, of which file. */
  let read: { readonly version: string; readonly lines: readonly Line[] } | undefined;
  /** What is kept may be longer: it is not written anew with each line then. */
  let mostBytes = longest;

  function note(line: Line): void {
    unwritten.push(line);
    timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
  }

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(append).catch(onFailure);
    return writing;
  }

  async function append(): Promise<void> {
    if (unwritten.length === 0) return;
    const lines = keep(unwritten);
    unwritten = [];
    try {
      await fs.appendFile(path, textOf(lines), { mode: 0o600 });
    } catch (error) {
      unwritten = [...keep([...lines, ...unwritten])];
      throw error;
    }
    if ((await fs.stat(path)).size <= mostBytes) return;
    await shortenLines(path, isLine, (all) => {
      const kept = textOf(keep(all));
      mostBytes = Math.max(longest, 2 * Buffer.byteLength(kept));
      return kept;
    });
  }

  async function all(): Promise<Line[]> {
    await write();
    return [...keep([...(await onDisk()), ...unwritten])];
  }

  /** The file's lines; it is read again only where it has changed, as pages of people ask every few seconds. */
  async function onDisk(): Promise<readonly Line[]> {
    const stat = await fs.stat(path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (stat === undefined) return [];
    const version = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (read?.version !== version)
      read = { version, lines: keep(linesIn(await fs.readFile(path, 'utf8'), isLine)) };
    return read.lines;
  }

  return { note, all, close: write };
}
