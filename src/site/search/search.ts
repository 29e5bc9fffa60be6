import os from 'node:os';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { pagefindVersion } from './pagefind.js';
import { openSearchFolder, SEARCH_FOLDER } from './search-folder.js';
import { indexDigest, type SearchJob, startSearchJob } from './search-job.js';
import type { SearchOutcome, SearchPage } from './search-messages.js';

/** The index follows this long after the last build, … */
const QUIET_MS = 2_000;
/** … and while builds stream in at the latest so long after the first. */
const LONGEST_MS = 60_000;
/** Pause between two jobs, in times of the last one: indexing takes a fifth of the time at most. */
const REST = 4;

/** Pages that are indexed where the config names no number. */
const MOST_PAGES = 5_000;
/** Memory that Pagefind takes for a byte of a page (measured: 0.85 MB for a page of 15 KB). */
const MEMORY_PER_BYTE = 60;
/** How much of the machine's memory the job may take where the config names no number of pages. */
const MEMORY_SHARE = 1 / 4;

/** What the config says of the search; false for none. */
export type SearchSettings = boolean | { readonly maxPages: number };

/** Asks the builder for the newest pages, oldest first; undefined where it cannot tell just now. */
export type NewestPages = (count: number) => Promise<readonly SearchPage[] | undefined>;

export interface SearchOptions {
  /** Absolute. */
  readonly outputDir: string;
  /** Absolute; where receivers on one folder take turns. */
  readonly lockDir: string;
  /** As they are now. */
  settings(): SearchSettings;
  readonly log: Log;
  /** How long after the last build the index follows. @default 2000 */
  readonly quietMs?: number;
}

/** The index of the site's search; see `createSearch`. */
export interface Search {
  /** Says that pages may have changed: some time later the index follows. */
  built(newest: NewestPages): void;
  /** Brings the index up to date at once. @returns undefined where there is no search. */
  index(newest: NewestPages): Promise<SearchOutcome | undefined>;
  /** Ends a job that is under way; the next start makes up for it. */
  close(): Promise<void>;
}

/**
 * Keeps the index of the site's search: after builds, one job at a time, in a process of its own that gets what
 * others leave. What the index was made of stands beside it, so that a job that never ran is found out.
 */
export function createSearch({
  outputDir,
  lockDir,
  settings,
  log,
  quietMs = QUIET_MS,
}: SearchOptions): Search {
  let version: Promise<string | undefined> | undefined;
  let waiting: { readonly newest: NewestPages; readonly since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let job: SearchJob | undefined;
  let running: Promise<unknown> | undefined;
  let notBefore = 0;
  let last = '';
  /** Whether it has been told that somebody else's index lies there. */
  let isForeign = false;
  let isClosed = false;

  function built(newest: NewestPages): void {
    if (isClosed) return;
    const now = performance.now();
    waiting = { newest, since: waiting?.since ?? now };
    clearTimeout(timer);
    const due = Math.min(now + quietMs, waiting.since + LONGEST_MS);
    timer = setTimeout(start, Math.max(due, notBefore) - now);
  }

  function start(): void {
    if (running !== undefined || waiting === undefined || isClosed) return;
    const { newest } = waiting;
    waiting = undefined;
    const begin = performance.now();
    running = index(newest).finally(() => {
      running = undefined;
      const end = performance.now();
      notBefore = end + REST * (end - begin);
      if (waiting !== undefined) built(waiting.newest);
    });
  }

  async function index(newest: NewestPages): Promise<SearchOutcome | undefined> {
    const outcome = await attempt(newest).catch(
      (error: unknown): SearchOutcome => ({ is: 'failed', reason: messageOf(error) }),
    );
    if (outcome !== undefined) report(outcome);
    return outcome;
  }

  async function attempt(newest: NewestPages): Promise<SearchOutcome | undefined> {
    const wanted = settings();
    if (wanted === false) {
      openSearchFolder(outputDir).remove();
      last = '';
      return undefined;
    }
    version ??= pagefindVersion(log);
    const program = await version;
    if (program === undefined || isClosed) return undefined;
    const pages = await newest(typeof wanted === 'object' ? wanted.maxPages : MOST_PAGES);
    if (pages === undefined || isClosed) return undefined;
    const chosen = typeof wanted === 'object' ? pages : withinMemory(pages);
    const of = indexDigest(program, chosen);
    if (of === last) return { is: 'current' };
    job = startSearchJob({ outputDir, lockDir, pages: chosen, of });
    const outcome = await job.outcome;
    job = undefined;
    if (outcome.is === 'done' || outcome.is === 'current') last = of;
    return outcome;
  }

  function report(outcome: SearchOutcome): void {
    const { is, ...what } = outcome;
    if (is === 'done') log.info(what, 'search index written');
    if (is === 'failed') log.warn(what, 'the search index could not be written; the old one stays');
    if (is !== 'foreign' || isForeign) return;
    isForeign = true;
    log.warn(
      { folder: SEARCH_FOLDER },
      'kept a search index that Pressmark did not write; remove it to have one',
    );
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    // Only for what runs outside: whoever still waits for the builder starts nothing any more.
    job?.abort();
    await job?.outcome;
  }

  return { built, index, close };
}

/** The newest of these pages, as many as the job can hold in its share of this machine's memory. */
function withinMemory(pages: readonly SearchPage[]): readonly SearchPage[] {
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  let room = (machine * MEMORY_SHARE) / MEMORY_PER_BYTE;
  let first = pages.length;
  while (first > 0) {
    room -= pages[first - 1]?.size ?? 0;
    if (room < 0) break;
    first--;
  }
  return first === 0 ? pages : pages.slice(first);
}
