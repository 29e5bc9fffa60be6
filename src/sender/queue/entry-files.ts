import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EventName } from '../../contract/limits.js';
import { PressmarkError, quote, systemCode } from '../../errors.js';
import { discard, isLeftover, stage, syncDirectory } from '../../fs/atomic-write.js';
import { type Entry, readEntry, writeEntry } from './entry.js';

// In the thread pool: while the disk commits its journal it has to wait for it, and answers come in meanwhile.
const rename = promisify(fs.rename);

/** What the queue keeps in mind of an entry; the payload stays in its file. */
export interface Summary {
  readonly id: string;
  readonly connector: string;
  /** The receiver that it was queued for. */
  readonly url: string;
  readonly event: EventName;
  /** The id that the receiver has for the article. */
  readonly article: string;
  /** The moment in its payload: articles that are due at the same time go out in the order in which they were queued. */
  readonly timestamp: string;
  readonly status: Entry['record']['status'];
  /** Milliseconds since the epoch; NaN once settled. */
  readonly dueAt: number;
  /** As in the entry. */
  readonly liveUrl: string | null;
  /** Whether a refresh was refused since one has landed. */
  readonly isRefused: boolean;
}

const ENDING = '.json';
const ID = /^[\w-]+$/;

/** The folder of entries, and what is known of it. */
export function openEntryFiles(folder: string) {
  /** What stood in the files at the last scan. */
  const known = new Map<string, Summary>();
  /** Files that were not entries at the last scan, and why; they are left as they are. */
  const problems = new Map<string, string>();
  const fingerprints = new Map<string, string>();

  /** Reads the files that this or another process has written since. */
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

  /** An entry as its file says; undefined if there is none that can be read. */
  function read(id: string): Entry | undefined {
    if (!ID.test(id)) return undefined; // a person's, it must not lead elsewhere
    const entry = load(`${id}${ENDING}`);
    return 'problem' in entry ? undefined : entry;
  }

  /**
   * Writes entries side by side, each of them whole or not at all. New ones, and those that are to be sent now, are on
   * the disk when it returns. Of one that was sent the outcome may be missing: after a power cut it may still read
   * `sending`; it is then sent again.
   *
   * @throws the first error, where not all could be written.
   */
  async function write(entries: readonly Entry[]): Promise<void> {
    const mustLast = entries.some(({ id, record }) => record.status === 'sending' || !has(id));
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

/** Removes what a killed process has left half-written; the caller holds the queue's lock. */
export function sweepLeftovers(folder: string): void {
  for (const name of fs.readdirSync(folder)) if (isLeftover(name)) discard(join(folder, name));
}

/** A file's identity: every write makes a new one. */
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
