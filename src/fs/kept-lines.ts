import fs from 'node:fs';
import { versionAt } from './fingerprint.js';
import { linesIn, openLineLog, textOf } from './line-log.js';

/** Options for `keepLines`. */
export interface KeptLinesOptions<Line> {
  readonly path: string;
  /** Selects the lines to keep; the oldest come first. */
  keep(lines: readonly Line[]): readonly Line[];
  /** Whether a parsed value is a valid line. */
  isLine(value: unknown): value is Line;
  /** Called if the file cannot be written, for example on a full disk. The lines are written together with the next ones. */
  onFailure(error: unknown): void;
  /** The length above which the file is rewritten with the lines to keep, in bytes. @default 1000000 */
  readonly longest?: number;
}

/** A file of records, each a line of JSON; see `keepLines`. */
export type KeptLines<Line> = ReturnType<typeof keepLines<Line>>;

/** How long lines are collected before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

const LONGEST = 1_000_000;

/**
 * Keeps the latest records in a file that several processes append to. It is for people: the last lines before a kill may be
 * missing.
 */
export function keepLines<Line>(options: KeptLinesOptions<Line>) {
  const { path, keep, isLine, onFailure, longest = LONGEST } = options;
  const log = openLineLog(path, isLine);
  let unwritten: Line[] = [];
  let timer: NodeJS.Timeout | undefined;
  let shortening = Promise.resolve();
  /** The lines that were read last, and the file's version at that time. */
  let read: { readonly version: string | undefined; readonly lines: readonly Line[] } | undefined;
  /** The present limit. It grows if the lines to keep are longer, so that the file is not rewritten for each line. */
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

  /** Returns the file's lines. The file is read only if it has changed, as open admin pages ask every few seconds. */
  function onDisk(): readonly Line[] {
    const version = versionAt(path);
    if (version === undefined) return [];
    if (read?.version !== version)
      read = { version, lines: keep(linesIn(fs.readFileSync(path, 'utf8'), isLine)) };
    return read.lines;
  }

  return {
    note,
    /** Returns all kept lines, the oldest first. @throws the system's errors */
    all(): Line[] {
      write();
      return [...keep([...onDisk(), ...unwritten])];
    },
    /** Writes the remaining lines. */
    async close(): Promise<void> {
      write();
      await shortening;
    },
  };
}
