import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../fs/atomic-write.js';

/** The name of the file in the state folder in which the proven addresses are kept. */
export const ADDRESSES_FILE = 'addresses.json';

/** Why the address of an article file is not proven though the site was built. */
export type UnprovenReason = 'no page' | 'several pages' | 'symbolic link' | 'front matter not supported';

/** What a trial build has shown of one article file. */
export type AddressRecord =
  | {
      readonly kind: 'proven';
      /** Below the content folder, with forward slashes. */
      readonly path: string;
      /** See `addressDigest`; of the file as it was then. */
      readonly digest: string;
      /** Below the site's URL, percent-encoded, such as `/blog/soil/`. */
      readonly address: string;
      /** Whether an update that does not pin the address would change it. */
      readonly moves: boolean;
    }
  | {
      readonly kind: 'unproven';
      readonly path: string;
      readonly digest: string;
      readonly reason: UnprovenReason;
    };

/** A file of proven addresses. */
export interface AddressCache {
  /** The site's configuration under which they were proven. */
  readonly configDigest: string;
  readonly records: readonly AddressRecord[];
}

/** Addresses of article files that a build has proven. */
export interface Addresses {
  /** By the file's path below the content folder. It counts only as long as the file's `addressDigest` is `digest`. */
  get(path: string): ProvenAddress | undefined;
  /** Another text wherever the addresses may be others. */
  readonly version: string;
}

/** The address of an article file that a build has proven. */
export interface ProvenAddress {
  readonly digest: string;
  readonly address: string;
  readonly moves: boolean;
}

/** The form of the file; another one is not read. */
const VERSION = 1;

/**
 * Reads the proven addresses.
 *
 * @param path of the file, absolute.
 * @param configDigest of the site's present configuration; where it is given, addresses of another one do not count.
 * @returns no addresses where there is no file or a malformed one: they are proven anew by the next build.
 */
export function readAddresses(path: string, configDigest?: string): Addresses {
  const text = readText(path);
  const cache = text === undefined ? undefined : parseAddresses(text);
  const counts = cache !== undefined && (configDigest === undefined || cache.configDigest === configDigest);
  const proven = new Map<string, ProvenAddress>();
  for (const record of counts ? cache.records : [])
    if (record.kind === 'proven') proven.set(record.path, record);
  return {
    get: (file) => proven.get(file),
    version: text === undefined || !counts ? '' : createHash('sha256').update(text).digest('hex'),
  };
}

/** Reads the whole file; undefined where there is none or a malformed one. */
export function readAddressCache(path: string): AddressCache | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseAddresses(text);
}

/** Writes the proven addresses; a reader sees the old file or the new one. */
export async function writeAddresses(path: string, { configDigest, records }: AddressCache): Promise<void> {
  for (const parent of makeDirectory(dirname(path))) await syncDirectory(parent);
  await writeAtomically(path, `${JSON.stringify({ version: VERSION, configDigest, records }, null, 1)}\n`);
}

/** The addresses in a file's text; undefined where it is malformed. */
export function parseAddresses(text: string): AddressCache | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
  if (!isMap(value) || value.version !== VERSION) return undefined;
  const { configDigest, records } = value;
  if (typeof configDigest !== 'string' || !Array.isArray(records)) return undefined;
  return records.every(isRecord) ? { configDigest, records } : undefined;
}

function isRecord(value: unknown): value is AddressRecord {
  if (!isMap(value) || typeof value.path !== 'string' || typeof value.digest !== 'string') return false;
  if (value.kind === 'unproven') return typeof value.reason === 'string';
  return (
    value.kind === 'proven' &&
    typeof value.address === 'string' &&
    value.address.startsWith('/') &&
    typeof value.moves === 'boolean'
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
