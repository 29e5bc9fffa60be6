import { dirname } from 'node:path';
import type { ProvenAddress } from '../../article/mapping.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../../fs/atomic-write.js';
import { ADDRESSES_VERSION, parseAddresses } from '../../store/catalog/addresses.js';
import { readOrEmpty } from '../../store/catalog/entry.js';

/** Why the address of a file is not proven though the site was built. */
export type UnprovenReason = 'no page' | 'several pages' | 'symbolic link' | 'front matter not supported';

/** What a trial build has shown of one article file. */
export type AddressRecord =
  | (ProvenAddress & { readonly kind: 'proven'; readonly path: string })
  | {
      readonly kind: 'unproven';
      /** Below the content folder, with forward slashes. */
      readonly path: string;
      /** See `addressDigest`; of the file as it was then, with all that an update replaces. */
      readonly digest: string;
      readonly reason: UnprovenReason;
    };

/** What the last trial has shown. */
export interface AddressFile {
  /** The site's configuration then. */
  readonly configDigest: string;
  readonly records: readonly AddressRecord[];
}

const REASONS: Readonly<Record<UnprovenReason, true>> = {
  'no page': true,
  'several pages': true,
  'symbolic link': true,
  'front matter not supported': true,
};

/**
 * Reads the file that the store reads too, with the files whose addresses could not be proven.
 *
 * @returns undefined where there is no file or a malformed one: everything is proven anew then.
 */
export function readAddressFile(path: string): AddressFile | undefined {
  const text = readOrEmpty(path);
  const proven = parseAddresses(text);
  if (proven === undefined) return undefined;
  const { unproven }: { unproven?: unknown } = JSON.parse(text);
  if (!Array.isArray(unproven) || !unproven.every(isUnproven)) return undefined;
  return {
    configDigest: proven.configDigest,
    records: [
      ...proven.records.map((record) => ({ ...record, kind: 'proven' as const })),
      ...unproven.map((record) => ({ ...record, kind: 'unproven' as const })),
    ],
  };
}

/** Writes what a trial has shown; a reader sees the old file or the new one. */
export async function writeAddressFile(path: string, { configDigest, records }: AddressFile): Promise<void> {
  const of = (kind: AddressRecord['kind']) =>
    records.filter((record) => record.kind === kind).map(({ kind: _, ...record }) => record);
  const file = { version: ADDRESSES_VERSION, configDigest, records: of('proven'), unproven: of('unproven') };
  for (const parent of makeDirectory(dirname(path))) await syncDirectory(parent);
  await writeAtomically(path, `${JSON.stringify(file, null, 1)}\n`);
}

function isUnproven(
  value: unknown,
): value is { readonly path: string; readonly digest: string; readonly reason: UnprovenReason } {
  if (typeof value !== 'object' || value === null) return false;
  const { path, digest, reason } = value as Record<string, unknown>;
  return (
    typeof path === 'string' &&
    typeof digest === 'string' &&
    typeof reason === 'string' &&
    Object.hasOwn(REASONS, reason)
  );
}
