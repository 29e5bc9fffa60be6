import fs from 'node:fs';
import { versionAt } from './fingerprint.js';
import { linesIn, openLineLog, textOf } from './line-log.js';

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

/** Records in a file, each a line of JSON; see `keepLines`. */
export type KeptLines<Line> = ReturnType<typeof keepLines<Line>>;

/** How long lines gather before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

const LONGEST = 1_000_000;

/**
 * Keeps the last of many records in a file that several processes share: each appends its own. It is a hint for people: the
 * last lines before a kill are not in it.
 */
export function keepLines<Line>(options: KeptLinesOptions<Line>) {
  const { path, keep, isLine, onFailure, longest = LONGEST } = options;
  const log = openLineLog(path, isLine);
  let unwritten: Line[] = [];
  let timer: NodeJS.Timeout | undefined;
  let shortening = Promise.resolve();
  /** What was read last, of which file. */
  let read: { readonly version: string | undefined; readonly lines: readonly Line[] } | undefined;
  /** What is kept may be longer: it is not written anew with each line then. */
  let mostBytes = longest;

  function note(line: Line): void {
    unwritten.push(line);
    timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.length === 0) return;
    unwritten = [...keep(unwritten)];
    try {
      log.append(unwritten);
      unwritten = [];
      if (log.size() > mostBytes) shortening = shortening.then(shorten).catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  }

  async function shorten(): Promise<void> {
    if (log.size() <= mostBytes) return;
    await log.shorten((lines) => {
      const kept = keep(lines);
      mostBytes = Math.max(longest, 2 * Buffer.byteLength(textOf(kept)));
      return kept;
    });
  }

  /** The file's lines; it is read again only where it has changed, as pages of people ask every few seconds. */
  function onDisk(): readonly Line[] {
    const version = versionAt(path);
    if (version === undefined) return [];
    if (read?.version !== version)
      read = { version, lines: keep(linesIn(fs.readFileSync(path, 'utf8'), isLine)) };
    return read.lines;
  }

  return {
    note,
    /** Everything that is kept, the oldest first. @throws the system's errors */
    all(): Line[] {
      write();
      return [...keep([...onDisk(), ...unwritten])];
    },
    /** Writes what has not been written yet. */
    async close(): Promise<void> {
      write();
      await shortening;
    },
  };
}
