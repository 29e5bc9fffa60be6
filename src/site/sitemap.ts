import { Readable } from 'node:stream';
import { ErrorLevel, SitemapIndexStream, SitemapStream, streamToPromise } from 'sitemap';
import type { SiteInfo } from '../host/page-types.js';
import { momentOf } from './moments.js';
import { type Changes, isAnyChanged, isChanged, type Piece, type Series } from './series.js';

/** Articles in one file: a change costs one such file, however many there are. */
const SHARD_SIZE = 1_000;

/** A file of the sitemap, and what makes its text. */
export interface SitemapFile {
  readonly file: string;
  make(): Promise<string>;
}

function shardsOf(count: number): number {
  return Math.max(1, Math.ceil(count / SHARD_SIZE));
}

function shardName(number: number): string {
  return `sitemap-${number}.xml`;
}

/** The files that the sitemap of `count` articles has. */
export function sitemapFiles(count: number): string[] {
  const shards = shardsOf(count);
  if (shards === 1) return ['sitemap.xml'];
  return ['sitemap.xml', ...Array.from({ length: shards }, (_, index) => shardName(index + 1))];
}

/** The files of the sitemap that differ after `changes`: one, or beyond 1,000 articles an index and its parts. */
export function changedSitemaps(site: SiteInfo, series: Series, changes: Changes): SitemapFile[] {
  if (!isAnyChanged(changes)) return [];
  const { items } = series;
  const shards = shardsOf(items.length);
  const files: SitemapFile[] = [];
  for (let number = 1; number <= shards; number++) {
    const start = (number - 1) * SHARD_SIZE;
    if (!isChanged(changes, start, start + SHARD_SIZE) && items.length > 0) continue;
    const make = () => urlset(site, items.slice(start, start + SHARD_SIZE), number === 1);
    files.push({ file: shards === 1 ? 'sitemap.xml' : shardName(number), make });
  }
  if (shards > 1) files.push({ file: 'sitemap.xml', make: () => index(site, shards) });
  return files;
}

async function urlset(site: SiteInfo, pieces: readonly Piece[], withHome: boolean): Promise<string> {
  const xmlns = { news: false, xhtml: false, image: false, video: false };
  const stream = new SitemapStream({ xmlns, level: ErrorLevel.SILENT });
  const urls = pieces.map(({ entry }) => {
    const lastmod = momentOf(entry.updated ?? entry.date)?.toISOString();
    return { url: entry.url, ...(lastmod !== undefined && { lastmod }) };
  });
  return textOf(stream, withHome ? [{ url: `${site.url}/` }, ...urls] : urls);
}

async function index(site: SiteInfo, shards: number): Promise<string> {
  const stream = new SitemapIndexStream({ level: ErrorLevel.SILENT });
  const parts = Array.from({ length: shards }, (_, number) => ({
    url: `${site.url}/${shardName(number + 1)}`,
  }));
  return textOf(stream, parts);
}

async function textOf(stream: SitemapStream | SitemapIndexStream, items: readonly object[]): Promise<string> {
  const xml = (await streamToPromise(Readable.from(items).pipe(stream))).toString('utf8');
  return `${xml.replace('?>', '?><!-- Pressmark -->')}\n`;
}
