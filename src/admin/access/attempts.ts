import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** How many attempts may come at once, and how often one more. */
interface Limit {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** Of logins: ten at once, then one each half minute. */
export const LIMIT: Limit = { atOnce: 10, everyMs: 30_000 };

/** So many addresses and names are remembered, and so many are forgotten when there are more. */
const [MOST_REMEMBERED, FORGOTTEN_AT_ONCE] = [10_000, 1_000];

/** The limits of attempts to log in; see `createAttempts`. */
export type Attempts = ReturnType<typeof createAttempts>;

/** How large the file of attempts becomes, in bytes: some 10,000 of them, by an address and by a name. */
const MOST_BYTES = 500_000;

/**
 * Limits attempts by address and by name: so many at once, then one each time. It is never closed for good, and success
 * clears it. A browser in which the user has logged in before counts by itself, so that strangers who try a name do not
 * lock its owner out.
 *
 * @param path a file through which all receivers on the folder, also after a restart, count the same attempts; without it,
 *   each counts its own. It need not be durable.
 */
export function createAttempts({ atOnce, everyMs }: Limit = LIMIT, path?: string, now = Date.now) {
  /** Until when attempts of a subject are paid for, in ms since 1970. */
  const paid = new Map<string, number>();
  /** What of the file is known. */
  let read = { ino: 0, bytes: 0 };

  /** How long an attempt is too early for, in ms; 0 if it may be made. */
  function earlyBy(subjects: readonly string[]): number {
    takeIn();
    const longest = now() + (atOnce - 1) * everyMs;
    return Math.max(0, ...subjects.map((subject) => (paid.get(keyOf(subject)) ?? 0) - longest));
  }

  /** Counts an attempt of each subject. @returns as `earlyBy`; an attempt that is too early is not counted. */
  function take(subjects: readonly string[]): number {
    const early = earlyBy(subjects);
    if (early > 0) return early;
    note(subjects.map((subject) => `${keyOf(subject)} ${now()}`));
    return 0;
  }

  /** Takes an attempt back that came to nothing, as the receiver was busy. */
  function giveBack(subjects: readonly string[]): void {
    note(subjects.map((subject) => `${keyOf(subject)} <`));
  }

  /** Forgets the attempts of subjects: the last one was right. */
  function clear(subjects: readonly string[]): void {
    note(subjects.map((subject) => `${keyOf(subject)} -`));
  }

  /** Counts attempts here and, by the file, at the other receivers. */
  function note(lines: readonly string[]): void {
    if (!isWritten(lines)) for (const line of lines) count(line);
    takeIn();
  }

  /** @returns false if the file cannot have them, as on a full disk: then this receiver counts alone. */
  function isWritten(lines: readonly string[]): boolean {
    if (path === undefined) return false;
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) rmSync(path);
      mkdirSync(dirname(path), { recursive: true });
      // The break before them: a killed process may have left a part of a line.
      appendFileSync(path, `\n${lines.join('\n')}\n`, { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  }

  function takeIn(): void {
    const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (path === undefined || stat?.isFile() !== true) return;
    if (stat.ino !== read.ino || stat.size < read.bytes) read = { ino: stat.ino, bytes: 0 };
    if (stat.size === read.bytes) return;
    const bytes = Buffer.alloc(stat.size - read.bytes);
    const file = openSync(path, 'r');
    try {
      readSync(file, bytes, 0, bytes.length, read.bytes);
    } finally {
      closeSync(file);
    }
    const end = bytes.lastIndexOf('\n') + 1; // another process may be in the middle of a line
    read.bytes += end;
    for (const line of bytes.toString('latin1', 0, end).split('\n')) count(line);
  }

  function count(line: string): void {
    const [, key = '', at = ''] = /^([0-9a-f]{10}) (\d+|-|<)$/.exec(line) ?? [];
    if (key === '') return;
    const before = paid.get(key) ?? 0;
    if (at === '-') paid.delete(key);
    else paid.set(key, at === '<' ? before - everyMs : Math.max(before, Number(at)) + everyMs);
    if (paid.size > MOST_REMEMBERED) forget();
  }

  /** Forgets what was tried least, and first what has been paid for: never what is throttled, which a flood of others would free. */
  function forget(): void {
    const throttled = now() + (atOnce - 1) * everyMs;
    const others = [...paid]
      .filter(([, until]) => until <= throttled)
      .sort(([, one], [, other]) => one - other);
    for (const [key] of others.slice(0, FORGOTTEN_AT_ONCE)) paid.delete(key);
  }

  return { earlyBy, take, giveBack, clear };
}

/** What a subject is called in the file: what was typed as a name may be a password, which this does not tell. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('hex').slice(0, 10);
}
