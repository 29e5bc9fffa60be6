import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { renderedHtml } from '../article/codec.js';
import type { Catalog } from '../store/catalog.js';
import {
  type ContentFolder,
  type Entry,
  entryOf,
  isGone,
  readArticle,
  sameStamp,
  stampOf,
} from '../store/entry.js';
import type { BuiltArticle, Manifest } from './manifest.js';
import type { Model } from './model.js';
import { type Neighbours, neighboursOf } from './neighbours.js';
import { linkOf, type Page, summaryOf } from './page.js';
import { lengthOf } from './reading-time.js';
import type { Round } from './round.js';
import type { Piece } from './series.js';

/** How often a page is built again because its article changed meanwhile. */
const MOST_ATTEMPTS = 3;

interface Around {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly manifest: Manifest;
}

/** What the manifest says of an article that has no page. */
export function withoutPage(entry: Entry, key: string): BuiltArticle {
  return { entry, page: null, key, shows: '' };
}

/** What the manifest says of an article once its page is built. */
export function builtArticle(piece: Piece, key: string, model: Model): BuiltArticle {
  const { entry, file } = piece;
  const slugs = [model.tags, model.authors].map((groups) =>
    groups.namesOf(entry).map((name) => groups.get(name)?.slug ?? ''),
  );
  const { previous, next, related } = neighboursOf(piece, model.all, model.tags);
  const others = [previous, next, ...related].map((other) => other && [other.entry.path, other.entry.stamp]);
  return { entry, page: file, key, shows: hash('sha256', JSON.stringify([slugs, others])).slice(0, 16) };
}

/** Whether what is said to have been built is what would be built now. */
export function isUpToDate(built: BuiltArticle | undefined, now: BuiltArticle): boolean {
  return (
    built !== undefined &&
    sameStamp(built.entry.stamp, now.entry.stamp) &&
    built.page === now.page &&
    built.key === now.key &&
    built.shows === now.shows
  );
}

/**
 * Builds an article's page from its file as it is now.
 *
 * @returns whether the page is as it should be; if not, it must be built again.
 */
export async function buildArticle(
  round: Round,
  piece: Piece,
  render: (page: Page) => Promise<string>,
  built: BuiltArticle,
  neighbours: Neighbours,
  { content, catalog, manifest }: Around,
): Promise<boolean> {
  const { entry, file } = piece;
  if (catalog.get(entry.path)?.broken !== undefined) return true; // as good as it can be; the intake has warned
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    let stamp = entry.stamp;
    const done = await round.build(file, () => {
      const read = readArticle(content, entry.path);
      stamp = read.stamp;
      const current = sameStamp(stamp, entry.stamp) ? entry : entryOf(entry.path, read.stored.article, stamp);
      return render(
        articlePage({ ...piece, entry: current }, neighbours, {
          html: renderedHtml(read.stored),
          jsonLd: read.stored.article.jsonLd,
        }),
      );
    });
    if (!done) return false;
    // Another process may be building a newer state: whoever finishes last must have read last.
    if (isStill(content, entry.path, stamp)) break;
  }
  manifest.setArticle(entry.path, built);
  return true;
}

function articlePage(
  { entry, file }: Piece,
  { previous, next, related }: Neighbours,
  text: { readonly html: string; readonly jsonLd: string },
): Page {
  const summary = summaryOf(entry);
  const links = {
    previous: previous === undefined ? null : linkOf(previous.entry),
    next: next === undefined ? null : linkOf(next.entry),
    related: related.map((other) => linkOf(other.entry)),
  };
  return {
    kind: 'article',
    path: `/${file.replace(/(^|\/)index\.html$/, '$1')}`,
    file,
    title: summary.title,
    description: summary.description,
    canonical: summary.url,
    article: { ...summary, ...text, ...lengthOf(text.html), ...links },
    articles: [],
    tag: null,
    author: null,
  };
}

function isStill({ root }: ContentFolder, path: string, stamp: ReturnType<typeof stampOf>): boolean {
  const stat = fs.statSync(join(root, path), { throwIfNoEntry: false });
  return stat === undefined || sameStamp(stampOf(stat), stamp);
}

/** The HTML of articles for the feed; what was read for the last feed is not read again. */
export function createHtmlReader({ content }: Pick<Around, 'content'>) {
  let last = new Map<Piece['entry'], string>();

  /** The pieces' HTML in their order; empty for one that cannot be read now. */
  return function read(pieces: readonly Piece[]): string[] {
    const next = new Map(pieces.map(({ entry }) => [entry, last.get(entry) ?? htmlOf(entry.path)]));
    last = next;
    return [...next.values()];
  };

  function htmlOf(path: string): string {
    try {
      return renderedHtml(readArticle(content, path).stored);
    } catch (error) {
      if (isGone(error) || isMalformed(error)) return '';
      throw error;
    }
  }
}

function isMalformed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FRONT_MATTER_INVALID';
}
