import { fork } from 'node:child_process';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { pagefindVersion } from './pagefind.js';
import { openSearchFolder, SEARCH_FOLDER } from './search-folder.js';
import type { SearchOutcome, SearchRequest } from './search-pages.js';

/** The index follows this long after a build. */
const QUIET_MS = 2_000;
/** Pause between two jobs, in times of the last one: indexing takes a fifth of the time at most. */
const PAUSE = 4;
/** How much of the standard error of the process is kept for a message, in characters. */
const LONGEST_STDERR = 2_000;

/** What the config says of the search; false for none. */
export type SearchSettings = boolean | { readonly maxPages: number };

export interface SearchOptions extends Pick<SearchRequest, 'outputDir' | 'stateDir' | 'siteUrl'> {
  /** As they are now. */
  settings(): SearchSettings;
  readonly log: Log;
  /** How long after a build the index follows. @default 2000 */
  readonly quietMs?: number;
}

/** The index of the site's search; see `createSearch`. */
export type Search = ReturnType<typeof createSearch>;

/**
 * Keeps the index of the site's search: after builds, one job at a time, in a process of its own that takes the pages from
 * the manifest. The folder of the index says of which pages it was made, so that the next job makes up for one that was
 * never done.
 */
export function createSearch(options: SearchOptions) {
  const { outputDir, stateDir, siteUrl, settings, log, quietMs = QUIET_MS } = options;
  const closing = new AbortController();
  let version: Promise<string | undefined> | undefined;
  /** Set from the request of a job to its end. */
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  let notBefore = 0;
  let job: Promise<unknown> | undefined;
  let isForeignKnown = false;

  /** Says that pages may have changed: some time later the index follows. */
  function built(): void {
    isDue = true;
    if (!closing.signal.aborted) timer ??= setTimeout(run, Math.max(quietMs, notBefore - performance.now()));
  }

  async function run(): Promise<void> {
    isDue = false;
    const start = performance.now();
    await index();
    notBefore = performance.now() + PAUSE * (performance.now() - start);
    timer = undefined;
    if (isDue) built();
  }

  /**
   * Brings the index up to date at once. Never rejects.
   *
   * @returns undefined where there is no search, or it was closed.
   */
  async function index(): Promise<SearchOutcome | undefined> {
    const outcome = await attempt().catch(
      (error: unknown): SearchOutcome => ({ kind: 'failed', reason: messageOf(error) }),
    );
    if (outcome?.kind === 'written')
      log.info({ pages: outcome.pages, ms: outcome.ms }, 'search index written');
    if (outcome?.kind === 'failed')
      log.warn({ reason: outcome.reason }, 'the search index could not be written; the old one stays');
    if (outcome?.kind === 'foreign' && !isForeignKnown) {
      isForeignKnown = true;
      log.warn(
        { folder: SEARCH_FOLDER },
        'kept a search index that Pressmark did not write; remove it to have one',
      );
    }
    return outcome;
  }

  async function attempt(): Promise<SearchOutcome | undefined> {
    const wanted = settings();
    if (wanted === false) {
      openSearchFolder(outputDir).remove();
      return undefined;
    }
    version ??= pagefindVersion(log);
    const program = await version;
    if (program === undefined || closing.signal.aborted) return undefined;
    const maxPages = wanted === true ? undefined : wanted.maxPages;
    const outcome = runProcess({ outputDir, stateDir, siteUrl, maxPages, version: program }, closing.signal);
    job = outcome.catch(() => undefined);
    return outcome;
  }

  /** Ends a job that is under way; the next start makes up for it. */
  async function close(): Promise<void> {
    clearTimeout(timer);
    closing.abort();
    await job;
  }

  return { built, index, close };
}

/**
 * Has a process of its own make the index.
 *
 * @param signal kills the process; what is on the disk stays whole.
 * @returns undefined where it was killed so.
 */
function runProcess(request: SearchRequest, signal: AbortSignal): Promise<SearchOutcome | undefined> {
  const child = fork(new URL('./search-process.js', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true, // a session of its own has a priority of its own, and Ctrl-C on the terminal does not reach it
    signal,
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-LONGEST_STDERR);
  });
  return new Promise((resolve, reject) => {
    child.on('message', (message) => resolve(message as SearchOutcome));
    child.on('error', (error) => {
      if (!signal.aborted) reject(error);
    });
    child.on('close', (code, killedBy) => {
      if (signal.aborted) resolve(undefined);
      else reject(new Error(`the indexing process ended with ${killedBy ?? code}: ${stderr.trim()}`));
    });
    child.send(request);
  });
}
