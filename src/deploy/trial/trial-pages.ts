import { attributeOf, htmlTokens } from '../../article/html-tokens.js';
import { headingEnd } from '../build/page-text.js';
import { addressBelow, addressesOfFile, addressOfFile, encodedAddress } from '../build/pages.js';
import type { UnprovenReason } from './address-file.js';

/**
 * The markers of one trial: words that no site contains. Each post has its number. A word of letters and digits comes
 * through every renderer, minifier and smart quote as it is.
 */
export interface Markers {
  /** Stands in the body of a post. */
  body(post: number): string;
  /** Stands in the title of a post, in the second build. */
  title(post: number): string;
  /** All markers in a text. */
  find(text: string): { readonly bodies: readonly number[]; readonly titles: readonly number[] };
}

/**
 * Makes the markers of a trial.
 *
 * @param run a few random letters and digits, lower case.
 */
export function createMarkers(run: string): Markers {
  const pattern = new RegExp(`pm${run}([bt])([0-9]+)z`, 'gi');
  return {
    body: (post) => `pm${run}b${post}z`,
    title: (post) => `pm${run}t${post}z`,
    find: (text) => {
      const bodies = new Set<number>();
      const titles = new Set<number>();
      for (const [, kind = '', post] of text.matchAll(pattern))
        (kind.toLowerCase() === 'b' ? bodies : titles).add(Number(post));
      return { bodies: [...bodies], titles: [...titles] };
    },
  };
}

/** What a trial needs to know of one page. */
export interface TrialPage {
  /** Below the output folder, with forward slashes. */
  readonly file: string;
  /** The posts whose body markers the page contains. */
  readonly bodies: readonly number[];
  /** The posts whose title markers stand in `<title>` or `og:title`. */
  readonly titles: readonly number[];
  /** The posts whose title markers stand in a heading of the first level. */
  readonly headings: readonly number[];
  /** The address in its canonical link; undefined where there is none of this site. */
  readonly canonical: string | undefined;
}

/** A site that a trial build has made. */
export interface TrialSite {
  /** The pages that contain markers. */
  readonly pages: readonly TrialPage[];
  /** The addresses that pages link to, percent-encoded. */
  readonly links: ReadonlySet<string>;
}

/** What was found of one post. */
export type Finding =
  | { readonly kind: 'proven'; readonly address: string; readonly moves: boolean }
  | { readonly kind: 'unproven'; readonly reason: UnprovenReason };

/** Adds the pages of a built site one after the other. */
export interface SiteReader {
  add(file: string, html: string): void;
  readonly site: TrialSite;
}

/** Reads the pages of a trial build. */
export function createSiteReader(markers: Markers, siteUrl: string): SiteReader {
  const pages: TrialPage[] = [];
  const links = new Set<string>();
  return {
    site: { pages, links },
    add(file, html) {
      const { bodies } = markers.find(html);
      const head = { titles: new Set<number>(), headings: new Set<number>(), canonical: '' };
      const base = pageUrl(siteUrl, file);
      const addressOf = (href: string | undefined) =>
        href === undefined ? undefined : linkedAddress(siteUrl, base, href);
      const tokens = htmlTokens(html);
      for (const [index, token] of tokens.entries()) {
        if (token.kind !== 'open') continue;
        const { name, start, contentStart } = token;
        const tag = html.slice(start, contentStart);
        if (name === 'a') {
          const address = addressOf(attributeOf(tag, 'href'));
          if (address !== undefined) links.add(address);
        } else if (name === 'link') {
          if (/(?:^|\s)canonical(?:\s|$)/i.test(attributeOf(tag, 'rel') ?? ''))
            head.canonical = addressOf(attributeOf(tag, 'href')) ?? '';
        } else if (name === 'title' && token.contentEnd !== undefined) {
          for (const post of markers.find(html.slice(contentStart, token.contentEnd)).titles)
            head.titles.add(post);
        } else if (name === 'meta') {
          if (attributeOf(tag, 'property') === 'og:title' || attributeOf(tag, 'name') === 'og:title')
            for (const post of markers.find(tag).titles) head.titles.add(post);
        } else if (name === 'h1') {
          for (const post of markers.find(html.slice(contentStart, headingEnd(tokens, index))).titles)
            head.headings.add(post);
        }
      }
      if (bodies.length === 0) return;
      const canonical = head.canonical === '' ? undefined : head.canonical;
      pages.push({ file, bodies, titles: [...head.titles], headings: [...head.headings], canonical });
    },
  };
}

/**
 * Decides which page displays each post.
 *
 * @param count the number of posts.
 * @param before the build in which each post has its body marker and nothing else was changed.
 * @param after the build in which the posts were altered as an update alters them, and have their title markers.
 */
export function findPosts(count: number, before: TrialSite, after: TrialSite): Finding[] {
  const showing = pagesByPost(before);
  const showingAfter = pagesByPost(after);
  return Array.from({ length: count }, (_, post): Finding => {
    const pagesAfter = showingAfter.get(post) ?? [];
    const updated = pageAfter(post, pagesAfter);
    const page = pageBefore(showing.get(post) ?? [], updated, pagesAfter);
    if (typeof page === 'string') return { kind: 'unproven', reason: page };
    if (updated === 'no page') return { kind: 'unproven', reason: 'no page' };
    const { file, canonical } = page;
    const address = addressOfFile(file, { canonical, isLinked: (target) => before.links.has(target) });
    return { kind: 'proven', address, moves: typeof updated === 'string' || updated.file !== file };
  });
}

/** The page of a post in the second build, in which each title is different. */
function pageAfter(post: number, all: readonly TrialPage[]): TrialPage | 'no page' | 'several pages' {
  const own = all.filter(({ bodies }) => bodies.length === 1);
  if (all.length === 0) return 'no page';
  const [only] = own;
  if (own.length === 1 && only !== undefined && (!isHome(only) || isAlone(only.titles, post))) return only;
  // A page that also shows other posts in full, such as a list, needs more than the body to be this post's page.
  const among = own.length > 0 ? own : all;
  const titled = among.filter(({ titles }) => isAlone(titles, post));
  const headed = among.filter(({ headings }) => isAlone(headings, post));
  for (const pages of [
    titled,
    headed,
    titled.length > 0 ? titled.filter(isCanonical) : [],
    among.filter(isCanonical),
  ])
    if (pages.length === 1 && pages[0] !== undefined) return pages[0];
  return 'several pages';
}

/** The page of a post in the first build; where several show it, the second build says which one is the post's. */
function pageBefore(
  all: readonly TrialPage[],
  updated: TrialPage | 'no page' | 'several pages',
  pagesAfter: readonly TrialPage[],
): TrialPage | 'no page' | 'several pages' {
  const own = all.filter(({ bodies }) => bodies.length === 1);
  if (all.length === 0) return 'no page';
  const among = own.length > 0 ? own : all;
  const [only] = own;
  if (own.length === 1 && only !== undefined && !isHome(only)) return only;
  if (typeof updated === 'string') return 'several pages';
  const same = among.find(({ file }) => file === updated.file);
  if (same !== undefined) return same;
  // The post's page has moved; what is still in its place is a list.
  const gone = among.filter((page) => !pagesAfter.some(({ file }) => file === page.file));
  for (const pages of [gone, own.filter((page) => !isHome(page) && isCanonical(page))])
    if (pages.length === 1 && pages[0] !== undefined) return pages[0];
  return 'several pages';
}

function pagesByPost({ pages }: TrialSite): Map<number, TrialPage[]> {
  const found = new Map<number, TrialPage[]>();
  for (const page of pages)
    for (const post of page.bodies) {
      const others = found.get(post);
      if (others === undefined) found.set(post, [page]);
      else others.push(page);
    }
  return found;
}

function isAlone(posts: readonly number[], post: number): boolean {
  return posts.length === 1 && posts[0] === post;
}

/** The home page of a site with one post may show it in full. */
function isHome({ file }: TrialPage): boolean {
  return file === 'index.html';
}

function isCanonical({ file, canonical }: TrialPage): boolean {
  return canonical !== undefined && addressesOfFile(file).includes(canonical);
}

/** Where a page is, so far as its relative links are concerned. */
function pageUrl(siteUrl: string, file: string): string {
  return `${siteUrl}${addressesOfFile(file)[0] ?? '/'}`;
}

function linkedAddress(siteUrl: string, base: string, href: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const address = addressBelow(siteUrl, new URL(href, base).href);
  return address === undefined ? undefined : encodedAddress(address);
}
