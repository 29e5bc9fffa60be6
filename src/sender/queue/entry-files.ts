import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EventName } from '../../contract/limits.js';
import { PressmarkError, quote, systemCode } from '../../errors.js';
import { discard, isLeftover, stage, syncDirectory } from '../../fs/atomic-write.js';
import { type Entry, readEntry, writeEntry } from './entry.js';

// Runs in the thread pool, as it waits for the disk's journal while answers arrive.
const rename = promisify(fs.rename);

/** The part of an entry that the queue keeps in memory, without the payload. */
export interface Summary {
  readonly id: string;
  readonly connector: string;
  /** The receiver for which it was queued. */
  readonly url: string;
  readonly event: EventName;
  /** The receiver's id of the article. */
  readonly article: string;
  /** The moment in its payload: articles that are due at the same time are sent in the order in which they were queued. */
  readonly timestamp: string;
  readonly status: Entry['record']['status'];
  /** Milliseconds since the epoch; NaN once settled. */
  readonly dueAt: number;
  /** As in the entry. */
  readonly liveUrl: string | null;
  /** Whether a refresh was refused since the last one that landed. */
  readonly isRefused: boolean;
}

const ENDING = '.json';
const ID = /^[\w-]+$/;

/** Opens the folder of entries, with an index in memory. */
export function openEntryFiles(folder: string) {
  /** The entries at the last scan. */
  const known = new Map<string, Summary>();
  /** Files that were not valid entries at the last scan, and why; they are left alone. */
  const problems = new Map<string, string>();
  const fingerprints = new Map<string, string>();

  /** Reads the files that have changed since the last scan. */
  function scan(): void {
    const names = listNames(folder);
    const seen = new Set(names);
    for (const name of fingerprints.keys()) if (!seen.has(name)) forget(name);
    for (const name of names) {
      const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
      if (stat === undefined) forget(name);
      else if (fingerprints.get(name) !== fingerprintOf(stat)) take(name, fingerprintOf(stat));
    }
  }

  function forget(name: string): void {
    fingerprints.delete(name);
    problems.delete(name);
    known.delete(idOf(name));
  }

  function take(name: string, fingerprint: string): void {
    forget(name);
    fingerprints.set(name, fingerprint);
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

  /** Reads an entry's file; undefined if there is no readable one. */
  function read(id: string): Entry | undefined {
    if (!ID.test(id)) return undefined; // an id from a person must not leave the folder
    const entry = load(`${id}${ENDING}`);
    return 'problem' in entry ? undefined : entry;
  }

  /**
   * Writes entries in parallel, each of them atomically.
   *
   * @param mustLast whether they are on the disk when this returns.
   * @throws the first error if not all could be written.
   */
  async function write(entries: readonly Entry[], mustLast: boolean): Promise<void> {
    const written = await Promise.allSettled(entries.map(writeOne));
    const failed = written.find((one) => one.status === 'rejected');
    if (mustLast && written.some((one) => one.status === 'fulfilled')) await syncDirectory(folder);
    if (failed !== undefined) throw failed.reason;
  }

  async function writeOne(entry: Entry): Promise<void> {
    const { temp } = await stage(folder, writeEntry(entry), 0o600);
    try {
      await rename(temp, pathOf(entry.id));
    } catch (error) {
      discard(temp);
      throw error;
    }
  }

  const pathOf = (id: string) => join(folder, `${id}${ENDING}`);
  const has = (id: string) => fs.existsSync(pathOf(id));

  return { scan, known, problems, has, read, write };
}

/** Removes half-written files of a killed process; the caller holds the queue's lock. */
export function sweepLeftovers(folder: string): void {
  for (const name of fs.readdirSync(folder)) if (isLeftover(name)) discard(join(folder, name));
}

/** A file's identity, which changes with every write. */
function fingerprintOf({ ino, size, mtimeMs }: fs.Stats): string {
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

function summaryOf({ id, connector, liveUrl, refused, record }: Entry): Summary {
  const { url, status, nextRetryAt, payload } = record;
  const dueAt = nextRetryAt === null ? Number.NaN : Date.parse(nextRetryAt);
  const { event, timestamp, data } = payload;
  const article = String(event === 'article.updated' ? data.target_id : data.id);
  const isRefused = refused !== null;
  return { id, connector, url, event, article, timestamp, status, dueAt, liveUrl, isRefused };
}
