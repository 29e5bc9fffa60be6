import { hash } from 'node:crypto';
import type { ProvenAddresses } from '../../article/mapped-format.js';
import type { ProvenAddress } from '../../article/mapping.js';
import { versionAt } from '../../fs/stamp.js';
import { readOrEmpty } from './entry.js';

/** The name of the file of proven addresses, below the state folder. */
export const ADDRESSES = 'addresses.json';

/** Changes with every change of the file's form; a file of another version is not read. */
export const ADDRESSES_VERSION = 1;

/** What a file of addresses holds. */
export interface AddressRecords {
  readonly version: typeof ADDRESSES_VERSION;
  /** The digest of the site's configuration and layouts for which the records were made. */
  readonly configDigest: string;
  readonly records: readonly (ProvenAddress & { readonly path: string })[];
}

/** The site's configuration is looked at again after so long at the earliest, in milliseconds, … */
const LOOK_AGAIN_MS = 1_000;
/** … and after so many times the time that looking at it has taken: it may be thousands of files. */
const LOOK_AGAIN_TIMES = 50;

/**
 * The addresses that builds of the site have proven, as the file at `path` has them at the moment of each question;
 * none where there is no such file, or one for another configuration.
 *
 * @param configDigest reads the digest of the site's configuration as it is now; asked whenever the file has changed,
 *   and now and then.
 */
export function readAddresses(path: string, configDigest: () => string): ProvenAddresses {
  let stamp: string | undefined;
  let text = '';
  let digest = '';
  let lookAgain = 0;
  let version = 'none';
  let records = new Map<string, ProvenAddress>();

  function refresh(): void {
    const now = versionAt(path) ?? 'none';
    if (now === stamp && (now === 'none' || performance.now() < lookAgain)) return;
    const before = digest;
    if (now !== stamp) text = readOrEmpty(path);
    if (text !== '') digest = readDigest();
    if (now === stamp && digest === before) return;
    stamp = now;
    const file = parseAddresses(text);
    const isCurrent = file?.configDigest === digest;
    version = isCurrent ? hash('sha256', text).slice(0, 16) : 'none';
    records = new Map(isCurrent ? file.records.map((record) => [record.path, record]) : []);
  }

  function readDigest(): string {
    const start = performance.now();
    const read = configDigest();
    const end = performance.now();
    lookAgain = end + Math.max(LOOK_AGAIN_MS, LOOK_AGAIN_TIMES * (end - start));
    return read;
  }

  return {
    get: (file) => {
      refresh();
      return records.get(file);
    },
    get version() {
      refresh();
      return version;
    },
  };
}

/** What a file of addresses holds; undefined for any other text, as the file is a cache. */
export function parseAddresses(text: string): AddressRecords | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // no file, or a damaged one
  }
  return isAddressRecords(value) ? value : undefined;
}

function isAddressRecords(value: unknown): value is AddressRecords {
  if (typeof value !== 'object' || value === null) return false;
  const { version, configDigest, records } = value as Record<string, unknown>;
  const isThisVersion = version === ADDRESSES_VERSION && typeof configDigest === 'string';
  return isThisVersion && Array.isArray(records) && records.every(isRecord);
}

function isRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { path, digest, address, moves } = value as Record<string, unknown>;
  const isNamed = typeof path === 'string' && typeof digest === 'string' && typeof address === 'string';
  return isNamed && address.startsWith('/') && typeof moves === 'boolean';
}
