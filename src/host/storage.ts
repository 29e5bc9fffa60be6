import { hash } from 'node:crypto';
import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { quote, systemCode } from '../errors.js';
import {
  discard,
  isLeftover,
  makeDurableDirectory,
  syncDirectory,
  writeAtomically,
} from '../fs/atomic-write.js';
import { namesIn } from '../fs/files-below.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { complaintsOf } from './invalid.js';

/** Data that a plugin keeps across restarts: JSON values by keys. All receivers on the site's folder share it. */
export interface PluginStorage {
  /** The plugin's folder for files, absolute; created with the first value. */
  readonly folder: string;
  /** The value; undefined if there is none, or it has expired. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /**
   * Stores a value: plain JSON data of at most 1,000,000 bytes. Durable when the promise resolves.
   *
   * @param options.ttlMs milliseconds until the value expires. @default never
   */
  set(key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>;
  /**
   * Changes a value atomically: no other call and no other receiver writes meanwhile.
   *
   * @param change gets the value, or undefined, and returns the new one; undefined deletes it. It must not be async.
   * @param options.ttlMs milliseconds until the value expires. @default unchanged
   * @returns the new value.
   */
  update<T>(
    key: string,
    change: (value: T | undefined) => T | undefined,
    options?: { readonly ttlMs?: number },
  ): Promise<T | undefined>;
  /** @returns whether there was a value. */
  delete(key: string): Promise<boolean>;
  /** The keys that begin with `prefix`, sorted. @default all */
  keys(prefix?: string): Promise<string[]>;
}

/** The content of a value's file. */
interface Stored {
  readonly key: string;
  /** In ms since 1970. */
  readonly until?: number;
  readonly value: unknown;
}

const MOST_BYTES = 1_000_000;
const LONGEST_KEY = 500;

/** The interval between removals of expired files, in milliseconds. */
const SWEEP_EVERY_MS = 3_600_000;

/**
 * Opens the storage of a plugin: one file for each key, which is replaced as a whole. Only writers wait for the lock. A process
 * writes one value after the other, so that the last call wins, and other processes get the lock in between.
 *
 * @param folder the plugin's folder; created with the first value.
 */
export function openStorage(plugin: string, folder: string, now = Date.now): PluginStorage {
  const values = join(folder, 'storage');
  let lock: Lock | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function alone<T>(work: () => Promise<T>): Promise<T> {
    await makeDurableDirectory(values);
    lock ??= createLock({ directory: folder, helper: findLockHelper() });
    return lock.run(work);
  }

  function inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = lastWrite.then(write);
    lastWrite = turn.catch(() => undefined);
    return turn;
  }

  async function changed<T>(work: () => Promise<T>): Promise<T> {
    const result = await inTurn(() => alone(work));
    void sweep().catch(() => undefined); // the next one is in an hour
    return result;
  }

  function fileOf(key: unknown): string {
    if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY || !key.isWellFormed())
      throw refusal(`the key ${quote(key)} is not a text of 1 to ${LONGEST_KEY} characters`);
    return join(values, `${hash('sha256', key).slice(0, 40)}.json`);
  }

  const refusal = complaintsOf(plugin, 'storage: ');

  /** Reads at once: four trips to the thread pool would cost more than reading, and the admin asks at each request. */
  function read(path: string): Stored | undefined {
    const text = textIn(path);
    if (text === undefined) return undefined;
    const stored = parsed(text);
    if (stored === undefined) throw refusal(`${path} is damaged; delete it, or restore it from a backup`);
    return isOver(stored) ? undefined : stored;
  }

  const isOver = ({ until }: Stored) => until !== undefined && until <= now();

  async function get<T>(key: string): Promise<T | undefined> {
    return read(fileOf(key))?.value as T | undefined; // what it is, is known to who has set it
  }

  async function set(key: string, value: unknown, { ttlMs }: { ttlMs?: number } = {}): Promise<void> {
    const path = fileOf(key);
    const text = textOf(key, value, endOf(key, ttlMs));
    await changed(() => writeAtomically(path, text, 0o600));
  }

  async function update<T>(
    key: string,
    change: (value: T | undefined) => T | undefined,
    { ttlMs }: { ttlMs?: number } = {},
  ): Promise<T | undefined> {
    const path = fileOf(key);
    const until = endOf(key, ttlMs);
    return changed(async () => {
      const stored = read(path);
      const value = change(stored?.value as T | undefined); // what it is, is known to who has set it
      if (value === undefined) await dropFile(path);
      else await writeAtomically(path, textOf(key, value, until ?? stored?.until), 0o600);
      return value;
    });
  }

  function endOf(key: string, ttlMs: number | undefined): number | undefined {
    if (ttlMs === undefined) return undefined;
    if (ttlMs > 0 && Number.isFinite(ttlMs)) return now() + ttlMs;
    throw refusal(
      `ttlMs of ${quote(key)} is ${quote(ttlMs)}; it must be a finite number above 0; leave it out to keep the value`,
    );
  }

  /** The content of a value's file. @throws PressmarkError if it cannot be kept. */
  function textOf(key: string, value: unknown, until: number | undefined): string {
    const json = plainJson(value);
    if (json === undefined)
      throw refusal(
        `the value of ${quote(key)} is not plain data as in JSON: write dates as texts, leave out what is undefined, and delete the key of what is not there`,
      );
    if (Buffer.byteLength(json) > MOST_BYTES)
      throw refusal(`the value of ${quote(key)} is longer than ${MOST_BYTES} bytes; keep it in several keys`);
    const about = JSON.stringify({ key, ...(until !== undefined && { until }) });
    return `${about.slice(0, -1)},"value":${json}}`;
  }

  async function dropFile(path: string): Promise<void> {
    discard(path);
    await syncDirectory(values);
  }

  async function remove(key: string): Promise<boolean> {
    const path = fileOf(key);
    return inTurn(async () => {
      if (!fs.existsSync(path)) return false;
      return alone(async () => {
        if (!fs.existsSync(path)) return false; // another receiver has deleted it
        const stored = parsed(fs.readFileSync(path, 'utf8'));
        await dropFile(path);
        return stored === undefined || !isOver(stored);
      });
    });
  }

  async function keys(prefix = ''): Promise<string[]> {
    const found: string[] = [];
    for (const name of namesIn(values)) {
      const stored = await storedIn(name);
      if (stored?.key.startsWith(prefix) && !isOver(stored)) found.push(stored.key);
    }
    return found.sort();
  }

  /** The content of one of many files; undefined if it holds no value, or is damaged, which `get` reports. */
  async function storedIn(name: string): Promise<Stored | undefined> {
    if (!name.endsWith('.json')) return undefined;
    return parsed((await readFile(join(values, name), 'utf8').catch(ignoreMissing)) ?? '');
  }

  /** Removes expired values, and half-written files of a killed process, each while nobody writes. */
  async function sweep(): Promise<void> {
    if (now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now();
    for (const name of namesIn(values)) {
      const isOld = async () => {
        const stored = await storedIn(name);
        return isLeftover(name) || (stored !== undefined && isOver(stored));
      };
      const remove = async () => void ((await isOld()) && discard(join(values, name)));
      if (await isOld()) await inTurn(() => alone(remove));
    }
  }

  return { folder, get, set, update, delete: remove, keys };
}

/** What a file holds; undefined if there is none. */
function textIn(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    return ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
}

function parsed(text: string): Stored | undefined {
  try {
    const stored: Partial<Stored> | null = JSON.parse(text);
    return typeof stored?.key === 'string' && 'value' in stored ? (stored as Stored) : undefined;
  } catch {
    return undefined;
  }
}

/** A value as JSON; undefined if it would not survive that unchanged. */
function plainJson(value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value);
    return isDeepStrictEqual(JSON.parse(json), value) ? json : undefined;
  } catch {
    return undefined; // it is circular, a function, a bigint or undefined
  }
}
