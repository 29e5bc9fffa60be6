import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote, systemCode } from '../errors.js';
import { discard, isLeftover, stage, syncDirectory } from '../fs/atomic-write.js';
import { type Entry, readEntry, writeEntry } from './entry.js';

/** What the queue keeps in mind of an entry; the payload stays in its file. */
export interface Summary {
  readonly id: string;
  readonly connector: string;
  readonly status: Entry['record']['status'];
  /** Milliseconds since the epoch; NaN once settled. */
  readonly dueAt: number;
}

/** The folder of entries, and what is known of it. */
export interface EntryFiles {
  /** Brings what is known up to date: files that others have written since are read. */
  scan(): void;
  readonly known: ReadonlyMap<string, Summary>;
  /** Files that are no entries and why; they are left as they are. */
  readonly problems: ReadonlyMap<string, string>;
  /** An entry as its file says; undefined where there is none that can be read. */
  read(id: string): Entry | undefined;
  /**
   * Writes entries side by side, each of them whole or not at all, and returns when all are on the disk.
   *
   * @returns the errors of those that could not be written.
   */
  write(entries: readonly Entry[]): Promise<Map<string, unknown>>;
}

const ENDING = '.json';

/** Opens the folder of entries; see `EntryFiles`. */
export function openEntryFiles(folder: string): EntryFiles {
  const known = new Map<string, Summary>();
  const problems = new Map<string, string>();
  const stamps = new Map<string, string>();

  function scan(): void {
    const names = listNames(folder);
    const seen = new Set(names);
    for (const name of stamps.keys()) if (!seen.has(name)) forget(name);
    for (const name of names) {
      const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
      if (stat === undefined) forget(name);
      else if (stamps.get(name) !== stampOf(stat)) take(name, stampOf(stat));
    }
  }

  function forget(name: string): void {
    stamps.delete(name);
    problems.delete(name);
    known.delete(idOf(name));
  }

  function take(name: string, stamp: string): void {
    forget(name);
    stamps.set(name, stamp);
    const entry = load(name);
    if ('problem' in entry) problems.set(name, entry.problem);
    else known.set(entry.id, summaryOf(entry));
  }

  function load(name: string): Entry | { readonly problem: string } {
    try {
      return readEntry(idOf(name), fs.readFileSync(join(folder, name), 'utf8'));
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { problem: `it cannot be read: ${code}` };
    }
  }

  function read(id: string): Entry | undefined {
    const entry = load(`${id}${ENDING}`);
    return 'problem' in entry ? undefined : entry;
  }

  async function write(entries: readonly Entry[]): Promise<Map<string, unknown>> {
    const failures = new Map<string, unknown>();
    await Promise.all(
      entries.map(async (entry) => {
        try {
          await writeOne(entry);
        } catch (error) {
          failures.set(entry.id, error);
        }
      }),
    );
    if (failures.size < entries.length) await syncDirectory(folder);
    return failures;
  }

  async function writeOne(entry: Entry): Promise<void> {
    const name = `${entry.id}${ENDING}`;
    const { temp, stat } = await stage(folder, writeEntry(entry), 0o600);
    try {
      fs.renameSync(temp, join(folder, name));
    } catch (error) {
      discard(temp);
      throw error;
    }
    stamps.set(name, stampOf(stat));
    known.set(entry.id, summaryOf(entry));
  }

  return { scan, known, problems, read, write };
}

/** Removes what a killed process has left half-written; the caller holds the queue's lock. */
export function sweepLeftovers(folder: string): void {
  for (const name of fs.readdirSync(folder)) if (isLeftover(name)) discard(join(folder, name));
}

/** A file's identity: every write makes a new one. */
function stampOf({ ino, size, mtimeMs }: fs.Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

function listNames(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith(ENDING) && !name.startsWith('.'))
      .sort();
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return [];
    throw new PressmarkError(
      'QUEUE_FAILED',
      `the queue in ${quote(folder, 200)} cannot be read: ${systemCode(cause) ?? 'unknown'}`,
      { cause },
    );
  }
}

function idOf(name: string): string {
  return name.slice(0, -ENDING.length);
}

function summaryOf({ id, connector, record: { status, nextRetryAt } }: Entry): Summary {
  return { id, connector, status, dueAt: nextRetryAt === null ? Number.NaN : Date.parse(nextRetryAt) };
}
