import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { pagefindVersion } from './pagefind.js';
import { openSearchFolder, SEARCH_FOLDER } from './search-folder.js';
import { type SearchOutcome, type SearchPage, type SearchRequest, withinMemory } from './search-pages.js';

/** The index follows this long after a build. */
const QUIET_MS = 2_000;
/** Pause between two jobs, in times of the last one: indexing takes a fifth of the time at most. */
const REST = 4;
/** After this long an aborted process is killed. */
const ABORT_MS = 1_000;
/** Pages that are indexed where the config names no number. */
const MOST_PAGES = 5_000;
/** How much of what the process says is kept for a message, in characters. */
const MOST_SAID = 2_000;
/** Changes where the same pages make another index. */
const FORMAT = 1;

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
  /** How long after a build the index follows. @default 2000 */
  readonly quietMs?: number;
}

/** The index of the site's search; see `createSearch`. */
export type Search = ReturnType<typeof createSearch>;

/**
 * Keeps the index of the site's search: after builds, one job at a time, in a process of its own that gets what
 * others leave. What the index was made of stands beside it, so that a job that never ran is found out.
 */
export function createSearch(options: SearchOptions) {
  const { outputDir, lockDir, settings, log, quietMs = QUIET_MS } = options;
  let version: Promise<string | undefined> | undefined;
  let waiting: NewestPages | undefined;
  let timer: NodeJS.Timeout | undefined;
  let job: SearchJob | undefined;
  let isRunning = false;
  let notBefore = 0;
  /** What the index was made of when it was last known to be current. */
  let last = '';
  let isForeignKnown = false;
  let isClosed = false;

  /** Says that pages may have changed: some time later the index follows. */
  function built(newest: NewestPages): void {
    waiting = newest;
    if (isRunning || isClosed) return;
    timer ??= setTimeout(start, Math.max(quietMs, notBefore - performance.now()));
  }

  async function start(): Promise<void> {
    timer = undefined;
    const newest = waiting;
    waiting = undefined;
    if (newest === undefined) return;
    const begin = performance.now();
    isRunning = true;
    await index(newest);
    isRunning = false;
    notBefore = performance.now() + REST * (performance.now() - begin);
    if (waiting !== undefined) built(waiting);
  }

  /** Brings the index up to date at once. Never rejects. @returns undefined where there is no search. */
  async function index(newest: NewestPages): Promise<SearchOutcome | undefined> {
    const outcome = await attempt(newest).catch(
      (error: unknown): SearchOutcome => ({ is: 'failed', reason: messageOf(error) }),
    );
    if (outcome?.is === 'done') log.info({ pages: outcome.pages, ms: outcome.ms }, 'search index written');
    if (outcome?.is === 'failed')
      log.warn({ reason: outcome.reason }, 'the search index could not be written; the old one stays');
    if (outcome?.is === 'foreign' && !isForeignKnown) {
      isForeignKnown = true;
      log.warn(
        { folder: SEARCH_FOLDER },
        'kept a search index that Pressmark did not write; remove it to have one',
      );
    }
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
    const all = await newest(wanted === true ? MOST_PAGES : wanted.maxPages);
    if (all === undefined || isClosed) return undefined;
    const pages = wanted === true ? withinMemory(all) : all;
    const of = hash(
      'sha256',
      JSON.stringify([FORMAT, program, pages.map((page) => [page.path, page.version])]),
    );
    if (of === last) return { is: 'current' };
    job = startJob({ outputDir, lockDir, pages, of });
    const outcome = await job.outcome;
    job = undefined;
    if (outcome.is === 'done' || outcome.is === 'current') last = of;
    return outcome;
  }

  /** Ends a job that is under way; the next start makes up for it. */
  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    // Only for what runs outside: whoever still waits for the builder starts nothing any more.
    job?.abort();
    await job?.outcome;
  }

  return { built, index, close };
}

type SearchJob = ReturnType<typeof startJob>;

/** Indexes pages in a process of its own. */
function startJob(request: SearchRequest) {
  const child = fork(new URL('./search-process.js', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true, // Ctrl-C on the terminal is for us to hand on
  });
  let said = '';
  let isAborted = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MOST_SAID);
  });
  /** Never rejects. */
  const outcome = new Promise<SearchOutcome>((resolve) => {
    const fail = (reason: string) => resolve(isAborted ? { is: 'aborted' } : { is: 'failed', reason });
    child.on('message', (message) => resolve(message as SearchOutcome));
    child.on('error', (error) => fail(messageOf(error)));
    child.on('exit', (code, signal) =>
      fail(`the indexing process ended with ${signal ?? code}${said && `: ${said.trim()}`}`),
    );
    child.send(request, (error) => error !== null && fail(messageOf(error)));
  });

  /** Ends the process and what it has started; what is on the disk stays whole. */
  function abort(): void {
    isAborted = true;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), ABORT_MS).unref();
  }

  return { outcome, abort };
}
