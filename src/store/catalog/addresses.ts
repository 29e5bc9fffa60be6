import { hash } from 'node:crypto';
import type { ListedAddresses } from '../../article/format/address.js';
import type { ListedAddress } from '../../article/format/mapping.js';
import { versionAt } from '../../fs/fingerprint.js';
import { readOrEmpty } from '../../fs/read-text.js';

/** The file of listed addresses, in the state folder. */
export const ADDRESSES = 'addresses.json';

/** The fields of a file of addresses that the store reads. */
export interface AddressRecords {
  /** A digest of the site's configuration when the addresses were listed. */
  readonly config: string;
  readonly listed: readonly (ListedAddress & { readonly path: string })[];
  readonly contradiction?: string | undefined;
}

/** Listed addresses, and whether new articles can follow them. */
export interface KnownAddresses extends ListedAddresses {
  /** Why a new article's address would not follow `articles.permalink`; undefined if it would. */
  readonly contradiction: string | undefined;
}

/** Reads the addresses that the generator has listed from the file at `path`; each call sees the present file. */
export function readAddresses(path: string): KnownAddresses {
  let fingerprint: string | undefined;
  let version = 'none';
  let contradiction: string | undefined;
  let addresses = new Map<string, ListedAddress>();

  function refresh(): void {
    const now = versionAt(path) ?? 'none';
    if (now === fingerprint) return;
    fingerprint = now;
    const text = readOrEmpty(path);
    const file = parseAddresses(text);
    version = file === undefined ? 'none' : hash('sha256', text).slice(0, 16);
    contradiction = file?.contradiction;
    addresses = new Map(file?.listed.map((record) => [record.path, record]));
  }

  return {
    get: (file) => {
      refresh();
      return addresses.get(file);
    },
    get version() {
      refresh();
      return version;
    },
    get contradiction() {
      refresh();
      return contradiction;
    },
  };
}

/** Parses a file of addresses; undefined for any other text, as the file is only a cache. */
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
  const { config, listed, contradiction } = value as Record<string, unknown>;
  if (contradiction !== undefined && typeof contradiction !== 'string') return false;
  return typeof config === 'string' && Array.isArray(listed) && listed.every(isListed);
}

function isListed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { path, digest, address } = value as Record<string, unknown>;
  const isNamed = typeof path === 'string' && typeof digest === 'string' && typeof address === 'string';
  return isNamed && address.startsWith('/');
}
