import { dirname } from 'node:path';
import type { ListedAddress } from '../../../article/format/mapping.js';
import { makeDurableDirectory, writeAtomically } from '../../../fs/atomic-write.js';
import { readOrEmpty } from '../../../fs/read-text.js';
import { parseAddresses } from '../../../store/catalog/addresses.js';

/** The reason why the generator has no address for a file. */
export type UnlistedReason = 'no page' | 'several pages' | 'symbolic link' | 'front matter not supported';

/** The addresses of the files that do not pin their own. Paths are below the content folder. */
export interface AddressFile {
  /** A digest of the site's configuration. */
  readonly config: string;
  /** A digest of the posts. With the same two digests, the generator would give the same answer. */
  readonly posts: string;
  readonly listed: readonly (ListedAddress & { readonly path: string })[];
  readonly unlisted: readonly { readonly path: string; readonly reason: UnlistedReason }[];
  /** The reason why new articles would not be where `articles.permalink` says; undefined if they would be. */
  readonly contradiction?: string | undefined;
}

/** Reads the file, which the store reads too. Undefined if it is missing or malformed; then the generator is asked again. */
export function readAddressFile(path: string): AddressFile | undefined {
  const text = readOrEmpty(path);
  const listed = parseAddresses(text);
  if (listed === undefined) return undefined;
  const { posts, unlisted } = JSON.parse(text) as AddressFile;
  return typeof posts === 'string' && Array.isArray(unlisted) ? { ...listed, posts, unlisted } : undefined;
}

/** Writes the file atomically. */
export async function writeAddressFile(path: string, file: AddressFile): Promise<void> {
  await makeDurableDirectory(dirname(path));
  await writeAtomically(path, `${JSON.stringify(file, null, 1)}\n`);
}
