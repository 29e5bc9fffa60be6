import os from 'node:os';
import { isReservedFile } from '../../article/reserved.js';
import { fileOf } from '../outputs/addresses.js';
import { timeOf } from '../render/dates.js';
import { manifestPath, openManifest } from '../write/manifest.js';
import type { SearchPage } from './pagefind.js';

/** Pages that are indexed where the config names no number. */
const MOST_PAGES = 5_000;
/** Memory that Pagefind takes for a byte of a page (measured: 0.85 MB for a page of 15 KB). */
const MEMORY_PER_BYTE = 60;
/** How much of the machine's memory the indexing may take. */
const MEMORY_SHARE = 1 / 4;

/** What the indexing process is asked for. */
export interface SearchRequest {
  /** Absolute. */
  readonly outputDir: string;
  /** Absolute; where the manifest is, and the lock by which receivers on one folder take turns. */
  readonly stateDir: string;
  /** Without a trailing slash. */
  readonly siteUrl: string;
  /** How many articles can be found; undefined for as many as the machine's memory allows. */
  readonly maxPages: number | undefined;
  /** The version of Pagefind. */
  readonly version: string;
}

/** What became of the request. */
export type SearchOutcome =
  | { readonly kind: 'written'; readonly pages: number; readonly ms: number }
  /** The index was of these very pages already. */
  | { readonly kind: 'current' }
  /** Somebody else's index lies in the folder. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A page as it was built last. */
interface BuiltPage extends SearchPage {
  readonly size: number;
  readonly crc: number;
}

/** The pages that can be found: those of the newest articles as they were built last, oldest first. */
export function newestPages(request: SearchRequest): readonly BuiltPage[] {
  const { outputDir, stateDir, siteUrl, maxPages } = request;
  const manifest = openManifest(manifestPath({ stateDir }), outputDir);
  const articles = [...manifest.refresh().articles.values()].flatMap((entry) =>
    entry !== undefined && 'url' in entry ? [{ entry, time: timeOf(entry.date) ?? 0 }] : [],
  );
  articles.sort((a, b) => b.time - a.time || (a.entry.path < b.entry.path ? 1 : -1));
  const base = new URL(siteUrl).pathname.replace(/\/$/, '');
  // Two articles of one address have one page.
  const pages = new Map<string, BuiltPage>();
  for (const { entry } of articles) {
    if (pages.size === (maxPages ?? MOST_PAGES)) break;
    const file = fileOf(entry.url, { url: siteUrl }) ?? '';
    const written = manifest.files.get(file);
    // At the address of one of the site's own pages an article has none.
    if (written === undefined || isReservedFile(file)) continue;
    const { size, crc } = written;
    pages.set(file, { file, url: new URL(entry.url).pathname.slice(base.length), size, crc });
  }
  const newest = [...pages.values()].reverse();
  return maxPages === undefined ? withinMemory(newest) : newest;
}

/** The newest of these pages, as many as can be indexed in a share of this machine's memory; all where none can. */
function withinMemory(pages: readonly BuiltPage[]): readonly BuiltPage[] {
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  let room = (machine * MEMORY_SHARE) / MEMORY_PER_BYTE;
  const last = pages.findLastIndex(({ size }) => {
    room -= size;
    return room < 0;
  });
  return last === pages.length - 1 ? pages : pages.slice(last + 1);
}
