import { hash } from 'node:crypto';
import { stateAt } from '../publication.js';
import type { Address } from '../stored-article.js';
import { topKeys } from './key-path.js';
import type { ArticleMapping, FileFacts, ListedAddress } from './mapping.js';
import { ownPath } from './site-keys.js';

/** The addresses of files in their generator's list. */
export interface ListedAddresses {
  get(path: string): ListedAddress | undefined;
  /** Changes whenever the list changes. */
  readonly version: string;
}

/** The options that decide the URLs of a site's articles. */
export interface AddressOptions {
  readonly mapping: ArticleMapping;
  /** The site's public URL without a trailing slash. */
  readonly siteUrl: string;
  /** The URL by the site's patterns. */
  readonly url: (slug: string, date: string) => string;
  /** Undefined if Pressmark builds the pages itself, so that every URL is certain. */
  readonly listed?: ListedAddresses;
}

/** The URL of a file's page. */
export interface FileUrl {
  readonly url: string;
  /** Whether the URL is certain; undefined if the file pins it. */
  readonly address: Address | undefined;
}

/**
 * The URL of a file's page, and whether it is certain.
 *
 * @param stored the URL in the file that the service was given.
 */
export function urlOf(
  options: AddressOptions,
  file: FileFacts,
  stored: string | undefined,
  slug: string,
  date: string,
): FileUrl {
  const { mapping, siteUrl, url, listed } = options;
  const isPinnedAt = (at: string) => mapping.isPinned(file, addressIn(siteUrl, at));
  if (listed === undefined) return { url: stored ?? url(slug, date), address: undefined };
  const unknown = (reason: string, isFuture?: true): FileUrl => ({
    url: stored ?? pinnedUrl(options, file) ?? url(slug, date),
    address: { kind: 'unknown', reason, ...(isFuture && { isFuture }) },
  });
  const state = stateAt(mapping.publication(file), Date.now());
  if (state === 'held')
    return stored === undefined ? unknown('is held') : { url: stored, address: undefined };
  const found = listed.get(file.path);
  const isListed = found !== undefined && found.digest === addressDigest(file, mapping);
  // A site may show drafts, as Eleventy does unless its configuration excludes them.
  if (state === 'draft' && !isListed) return unknown('is a draft');
  if (state !== 'draft' && stored !== undefined && isPinnedAt(stored))
    return { url: stored, address: undefined };
  if (state === 'scheduled' && stored === undefined) return unknown('has a date in the future', true);
  if (isListed) return { url: `${siteUrl}${found.address}`, address: { kind: 'listed' } };
  if (stored === undefined) return unknown('has no listed URL');
  return stored.startsWith(`${siteUrl}/`)
    ? unknown(`no longer pins its address ${addressIn(siteUrl, stored)}`)
    : unknown(`was answered with a URL that is not below ${siteUrl}`);
}

/** The URL that a person's file seems to pin. It is not certain until the generator lists it, but it is not free either. */
function pinnedUrl({ mapping, siteUrl }: AddressOptions, file: FileFacts): string | undefined {
  const [pinKey = ''] = Object.keys(mapping.pin('/address/'));
  const address = file.data[pinKey];
  const isAddress = typeof address === 'string' && address.startsWith('/') && mapping.isPinned(file, address);
  return isAddress ? `${siteUrl}${address}` : undefined;
}

/** The path of a URL below the site's. */
export function addressIn(siteUrl: string, url: string): string {
  return url.startsWith(`${siteUrl}/`) ? url.slice(siteUrl.length) : url;
}

/**
 * A digest of everything that decides the address of a file's page: the file's path and its front matter, except for the keys
 * that an update replaces. An update pins the address or cannot change it, and does not turn a draft into a page.
 */
export function addressDigest({ path, data }: FileFacts, mapping: ArticleMapping): string {
  const name = (key: string) => (mapping.ignoresKeyCase ? key.toLowerCase() : key);
  const without = new Set([...ownPath(mapping).slice(0, 1), ...replacedKeys(mapping)].map(name));
  const counted = Object.entries(data)
    .map(([key, value]) => [name(key), value] as const)
    .filter(([key]) => !without.has(key));
  const isDraft = mapping.publication({ path, data }).kind === 'draft';
  return `sha256-${hash('sha256', JSON.stringify([path, counted, isDraft]))}`;
}

/** The keys that an update may set. The date and the category, which decide addresses on some sites, are not among them. */
function replacedKeys(mapping: ArticleMapping): string[] {
  const { date: _, category: _category, ...replaced } = mapping.keys;
  const pins = new Set(Object.keys(mapping.pin('/address/')));
  const switches = mapping.reserved.filter((key) => !pins.has(key));
  return [...topKeys(replaced), ...Object.values(mapping.aliases ?? {}), ...switches];
}
