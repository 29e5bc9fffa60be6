import { Readable } from 'node:stream';
import { ErrorLevel, SitemapIndexStream, SitemapStream, streamToPromise } from 'sitemap';
import type { SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isAnyChanged, type Post } from '../index/article-list.js';
import { addressOfPage } from '../index/owner-texts.js';
import type { SiteChange } from '../index/site-index.js';
import type { Output } from './output.js';

/** Articles in one file: a change costs one such file, however many there are. */
const SHARD_SIZE = 1_000;

/** The sitemap itself: beyond a shard's worth of articles, an index of its shards. */
const WHOLE = 'sitemap.xml';

/** Pages other than those of articles; the first file lists them. */
interface ListedPages {
  /** Whether a file is one of these pages, if no article has its address. */
  has(file: string): boolean;
  /** The paths of those that stand. */
  paths(): readonly string[];
}

/**
 * The sitemap of the articles in a list: one file, or beyond a shard's worth of articles an index and its shards.
 *
 * @param pages the pages that the owner wrote.
 */
export function sitemap(
  site: SiteInfo,
  { items }: ArticleList,
  pages: ListedPages = { has: () => false, paths: () => [] },
): Output {
  function affectedBy({
    all: changes,
    pages: ofArticles,
    texts,
  }: Pick<SiteChange, 'all' | 'pages' | 'texts'>): string[] {
    // An article has taken, or left, the address of a page; or a page has come or gone.
    const isFirstChanged =
      [...ofArticles].some(pages.has) || [...texts].some((path) => addressOfPage(path) !== undefined);
    if (!isAnyChanged(changes) && !isFirstChanged) return [];
    const last = Math.max(shardsOf(items.length), shardsOf(changes.before));
    const isOne = shardsOf(Math.min(items.length, changes.before)) === 1;
    const first = isOne ? 1 : numberOf(changes.from); // where one file becomes several, or several one, all change
    const numbers = new Set([...changes.touched].map(numberOf));
    for (let number = first; number <= last; number++) numbers.add(number);
    if (isFirstChanged) numbers.add(1);
    return last === 1 ? [WHOLE] : [WHOLE, ...[...numbers].map(shardName)];
  }

  function render(file: string): Promise<string> | undefined {
    const shards = shardsOf(items.length);
    if (file === WHOLE) return shards === 1 ? urlset(items, true) : index(shards);
    const number = shardIn(file);
    return number === undefined ? undefined : urlset(shard(number), number === 1);
  }

  /** The shard in a file; undefined where there is no such shard now. */
  function shardIn(file: string): number | undefined {
    const shards = shardsOf(items.length);
    const number = Number(/^sitemap-([1-9]\d{0,6})\.xml$/.exec(file)?.[1]);
    return shards > 1 && number <= shards ? number : undefined;
  }

  async function urlset(posts: readonly Post[], withHome: boolean): Promise<string> {
    const xmlns = { news: false, xhtml: false, image: false, video: false };
    const stream = new SitemapStream({ xmlns, level: ErrorLevel.SILENT });
    const urls = posts.map(({ entry, modified }) => ({ url: entry.url, ...lastmod(modified) }));
    const own = ['/', ...pages.paths()].map((path) => ({ url: `${site.url}${path}` }));
    return textOf(stream, withHome ? [...own, ...urls] : urls);
  }

  async function index(shards: number): Promise<string> {
    const stream = new SitemapIndexStream({ level: ErrorLevel.SILENT });
    const parts = Array.from({ length: shards }, (_, index) => ({
      url: `${site.url}/${shardName(index + 1)}`,
      ...lastmod(lastChange(index + 1)),
    }));
    return textOf(stream, parts);
  }

  function lastChange(number: number): number | undefined {
    let last = Number.NEGATIVE_INFINITY;
    for (const { modified = last } of shard(number)) last = Math.max(last, modified);
    return last === Number.NEGATIVE_INFINITY ? undefined : last;
  }

  function shard(number: number): readonly Post[] {
    return items.slice((number - 1) * SHARD_SIZE, number * SHARD_SIZE);
  }

  function paths(): string[] {
    const shards = shardsOf(items.length);
    if (shards === 1) return [WHOLE];
    return [WHOLE, ...Array.from({ length: shards }, (_, index) => shardName(index + 1))];
  }

  return {
    reserved: [WHOLE, 'sitemap*.xml'],
    paths,
    has: (path) => path === WHOLE || shardIn(path) !== undefined,
    affectedBy,
    render,
  };
}

function shardsOf(count: number): number {
  return Math.max(1, Math.ceil(count / SHARD_SIZE));
}

/** The shard in which the article at a position stands. */
function numberOf(position: number): number {
  return Math.floor(position / SHARD_SIZE) + 1;
}

function shardName(number: number): string {
  return `sitemap-${number}.xml`;
}

function lastmod(modified: number | undefined): { lastmod?: string } {
  return modified === undefined ? {} : { lastmod: new Date(modified).toISOString() };
}

async function textOf(stream: SitemapStream | SitemapIndexStream, items: readonly object[]): Promise<string> {
  const xml = (await streamToPromise(Readable.from(items).pipe(stream))).toString('utf8');
  return `${xml.replace('?>', '?><!-- Pressmark -->')}\n`;
}
