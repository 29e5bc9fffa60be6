import { dirname } from 'node:path';
import type { ListedAddress } from '../../../article/format/mapping.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../../../fs/atomic-write.js';
import { parseAddresses } from '../../../store/catalog/addresses.js';
import { readOrEmpty } from '../../../store/catalog/entry.js';

/** Why no address of a file is known although the generator was asked. */
export type UnlistedReason = 'no page' | 'several pages' | 'symbolic link' | 'front matter not supported';

/** What was found out about the files that do not pin their addresses. Paths are below the content folder. */
export interface AddressFile {
  /** A digest of the site's configuration. */
  readonly config: string;
  /** A digest of the posts; with the same two digests, the generator would say the same again. */
  readonly posts: string;
  readonly listed: readonly (ListedAddress & { readonly path: string })[];
  readonly unlisted: readonly { readonly path: string; readonly reason: UnlistedReason }[];
  /** Why new articles would not be where `articles.permalink` says; undefined if they would. */
  readonly contradiction?: string | undefined;
}

/** Reads the file that the store reads too; undefined if there is none or a malformed one: the generator is asked again then. */
export function readAddressFile(path: string): AddressFile | undefined {
  const text = readOrEmpty(path);
  const listed = parseAddresses(text);
  if (listed === undefined) return undefined;
  const { posts, unlisted } = JSON.parse(text) as AddressFile;
  return typeof posts === 'string' && Array.isArray(unlisted) ? { ...listed, posts, unlisted } : undefined;
}

/** Writes what was found out; a reader sees the old file or the new one. */
export async function writeAddressFile(path: string, file: AddressFile): Promise<void> {
  for (const parent of makeDirectory(dirname(path))) await syncDirectory(parent);
  await writeAtomically(path, `${JSON.stringify(file, null, 1)}\n`);
}
