import fs from 'node:fs';
import { join } from 'node:path';
import { attributeOf, htmlTokens, textIn } from '../../../article/text/html-tokens.js';
import { headingEnd } from '../../../deploy/build/page-text.js';
import { addressBelow, addressesOfFile, encodedAddress } from '../../../deploy/build/pages.js';
import { filesBelow } from '../../../fs/files-below.js';

/** A page of the built site. */
export interface BuiltPage {
  readonly address: string;
  /** The texts of `<title>`, `og:title` and headings of the first level. */
  readonly titles: readonly string[];
}

/** A post whose page is wanted. */
export interface WantedPost {
  /** Below the content folder. */
  readonly path: string;
  readonly slug: string;
  readonly title: string;
}

/**
 * Finds the page of each post: its address ends with the post's path or slug, and its title or heading is the post's. A page
 * that fits several posts counts for none, and the page of a tag or an author is never a post's.
 *
 * @param permalink the pattern of new articles, such as `/topics/:slug/`.
 * @returns the address of each post by its path, or `several pages`; a post without a page is missing.
 */
export function matchPages(
  posts: readonly WantedPost[],
  pages: readonly BuiltPage[],
  permalink = '/:slug/',
): Map<string, string | 'several pages'> {
  const byEnd = new Map<string, BuiltPage[]>();
  for (const page of pages) {
    const end = endOf(page.address);
    byEnd.set(end, [...(byEnd.get(end) ?? []), page]);
  }
  const found = new Map<string, string>();
  const owners = new Map<string, string[]>();
  /** The pages at folders of posts, with the posts' ids: such a page does not belong to a post above the folder. */
  const inFolders = new Map<string, string>();
  const ids = posts.map((post) => ({ post, id: idOf(post), folders: idOf(post).split('/').slice(0, -1) }));
  for (const { post, id, folders } of ids.toSorted(
    (one, other) => other.folders.length - one.folders.length,
  )) {
    const fitting = (byEnd.get(plain(post.slug)) ?? []).filter(
      ({ address, titles }) =>
        !isTermPage(address, [...folders, ...permalink.split('/')]) &&
        (inFolders.get(address) ?? id) === id &&
        titles.some((title) => isTitle(title, post.title)),
    );
    const whole = fitting.filter(({ address }) => pathOf(address).endsWith(`/${id}`));
    const within = fitting.filter(({ address }) =>
      folders.every((name) => foldersOf(address).includes(name)),
    );
    const [page, ...others] = [whole, within, fitting].find(({ length }) => length > 0) ?? [];
    if (page === undefined) continue;
    const { address } = page;
    found.set(post.path, others.length > 0 ? 'several pages' : address);
    if (others.length > 0) continue;
    owners.set(address, [...(owners.get(address) ?? []), post.path]);
    if (folders.length > 0 && within.includes(page)) inFolders.set(address, id);
  }
  for (const paths of owners.values())
    if (paths.length > 1) for (const path of paths) found.set(path, 'several pages');
  return found;
}

/** Folders of pages for tags, categories or authors, whose names may equal the title of a post. */
const TERMS = /^(?:tags?|categor(?:y|ies)|topics?|labels?|keywords?|authors?|series)$/;

/** Whether a page belongs to a term; not if posts are in such a folder. */
function isTermPage(address: string, known: readonly string[]): boolean {
  const folder = foldersOf(address).at(-1) ?? '';
  return TERMS.test(folder) && !known.includes(folder);
}

function foldersOf(address: string): string[] {
  return pathOf(address).split('/').slice(1, -1);
}

/** The address without trailing slash and extension, decoded. */
function pathOf(address: string): string {
  return plain(address.replace(/\/$/, '').replace(/\.x?html?$/i, ''));
}

function endOf(address: string): string {
  const path = pathOf(address);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The id that generators make of a post's path: without extension, and for `x/index.md` the folder. */
function idOf({ path, slug }: WantedPost): string {
  const folders = path
    .replace(/\/index\.[^/]*$/, '')
    .split('/')
    .slice(0, -1);
  return [...folders.map(plain), plain(slug)].join('/');
}

function plain(text: string): string {
  try {
    return decodeURI(text).normalize('NFC').toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}

/** Whether a text is the title, with or without the site's name. */
function isTitle(text: string, title: string): boolean {
  const [whole, part] = [words(text), words(title)];
  if (part === '') return false;
  if (whole === part) return true;
  const rest = whole.startsWith(part)
    ? whole.slice(part.length)
    : whole.endsWith(part)
      ? whole.slice(0, -part.length)
      : '';
  return /^\s*[|·•:–—-]\s|\s[|·•:–—-]\s*$/u.test(rest);
}

function words(text: string): string {
  return text.normalize('NFC').replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim();
}

/**
 * The pages of a built site. Symbolic links are not followed, and pages whose canonical link names another page are left out.
 *
 * @param permalink the pattern of new articles, which decides between `/x.html` and `/x` for a page without a canonical link.
 */
export async function readPages(output: string, siteUrl: string, permalink: string): Promise<BuiltPage[]> {
  const pages: BuiltPage[] = [];
  for (const file of htmlFiles(output)) {
    const addresses = addressesOfFile(file);
    const [first = '/'] = addresses;
    const { canonical, titles } = readHead(await fs.promises.readFile(join(output, file), 'utf8'));
    const named =
      canonical === undefined ? undefined : addressOfLink(siteUrl, `${siteUrl}${first}`, canonical);
    const isUsual = (one: string) => one.endsWith('.html') === permalink.endsWith('.html');
    const address =
      named === undefined ? (addresses.find(isUsual) ?? first) : addresses.find((one) => one === named);
    if (address !== undefined) pages.push({ address, titles });
  }
  return pages;
}

/** The canonical link and the titles of a page. */
export function readHead(html: string): { canonical: string | undefined; titles: readonly string[] } {
  const titles: string[] = [];
  let canonical: string | undefined;
  const tokens = htmlTokens(html);
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'open') continue;
    const { name, contentStart } = token;
    const attribute = (key: string) => attributeOf(html, token, key);
    if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attribute('rel') ?? ''))
      canonical = attribute('href');
    else if (name === 'title') titles.push(textOf(html.slice(contentStart, token.contentEnd)));
    else if (name === 'h1') titles.push(textOf(html.slice(contentStart, headingEnd(tokens, index))));
    else if (name === 'meta' && [attribute('property'), attribute('name')].includes('og:title'))
      titles.push(attribute('content') ?? '');
  }
  return { canonical, titles };
}

/** The longest text that counts as a title, in characters. */
const LONGEST_TITLE = 5_000;

function textOf(html: string): string {
  return textIn(html.slice(0, LONGEST_TITLE), () => ' ');
}

function addressOfLink(siteUrl: string, base: string, href: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const address = addressBelow(siteUrl, new URL(href, base).href);
  return address === undefined ? undefined : encodedAddress(address);
}

function htmlFiles(output: string): string[] {
  return filesBelow(output).filter((path) => /(?:\.x?html?|(?:^|\/)[^./]*)$/i.test(path));
}
