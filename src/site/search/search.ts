import { fork } from 'node:child_process';
import { childEnvironment } from '../../child-environment.js';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { pagefindVersion, type SearchPage } from './pagefind.js';
import { openSearchFolder, SEARCH_FOLDER } from './search-folder.js';
import type { SearchOutcome, SearchRequest } from './search-process.js';

/** The index follows this long after a build. */
const QUIET_MS = 2_000;
/** Pause between two jobs, in times of the last one: indexing takes a fifth of the time at most. */
const PAUSE = 4;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** Pause after a job that has failed. */
const RETRY_MS = 60_000;
/** How long a job may take, with the time for which it waits for another receiver's. */
const LONGEST_JOB_MS = 30 * 60_000;
/** How much of the standard error of the process is kept for a message, in characters. */
const LONGEST_STDERR = 2_000;

/** What the config says of the search; false for none. */
export type SearchSettings = boolean | { readonly maxPages: number };

/** Lists the pages that can be found, see `newestPages`; undefined where the builder does not know all of them. */
export type ListPages = (maxPages: number | undefined) => Promise<readonly SearchPage[] | undefined>;

export interface SearchOptions extends Pick<SearchRequest, 'outputDir' | 'stateDir'> {
  /** As they are now. */
  settings(): SearchSettings;
  readonly listPages: ListPages;
  /** Called when the index has changed. */
  onWritten?(): void;
  readonly log: Log;
  /** How long a job may take. @default 1800000 */
  readonly longestJobMs?: number;
}

/** The index of the site's search; see `createSearch`. */
export type Search = ReturnType<typeof createSearch>;

/**
 * Keeps the index of the site's search: after builds, one job at a time, in a process of its own. The folder of the index
 * says of which pages it was made, so that the next job makes up for one that was never done.
 */
export function createSearch(options: SearchOptions) {
  const { outputDir, stateDir, settings, listPages, log, longestJobMs = LONGEST_JOB_MS } = options;
  const closing = new AbortController();
  let version: Promise<string | undefined> | undefined;
  /** Set from the request of a job to its end. */
  let timer: NodeJS.Timeout | undefined;
  /** Whether a job was requested since the last one has begun. */
  let isDue = false;
  let notBefore = 0;
  let job: Promise<unknown> | undefined;
  let lastWarning = '';

  /** Says that pages may have changed: some time later the index follows. */
  function built(): void {
    isDue = true;
    if (closing.signal.aborted) return;
    timer ??= setTimeout(() => void run(), Math.max(QUIET_MS, notBefore - performance.now()));
  }

  async function run(): Promise<void> {
    isDue = false;
    const outcome = await index();
    timer = undefined;
    if (outcome?.kind === 'failed') notBefore = Math.max(notBefore, performance.now() + RETRY_MS);
    if (outcome?.kind === 'failed' || isDue) built();
  }

  /**
   * Brings the index up to date at once. Never rejects.
   *
   * @returns undefined where there is no search and no index of one, or it was closed.
   */
  async function index(): Promise<SearchOutcome | undefined> {
    const outcome = await attempt().catch(
      (error: unknown): SearchOutcome => ({ kind: 'failed', reason: messageOf(error) }),
    );
    if (outcome?.kind === 'written') {
      log.info({ pages: outcome.pages, ms: outcome.ms }, 'search index written');
      options.onWritten?.();
    }
    const warning = warningOf(outcome);
    if (warning !== '' && warning !== lastWarning) log.warn(warning);
    lastWarning = warning;
    return outcome;
  }

  async function attempt(): Promise<SearchOutcome | undefined> {
    const wanted = settings();
    // By a job as well: another receiver may be writing in the folder.
    if (wanted === false) return openSearchFolder(outputDir).isOurs() ? start(null) : undefined;
    version ??= pagefindVersion(log);
    const program = await version;
    if (program === undefined) return undefined;
    const pages = await listPages(wanted === true ? undefined : wanted.maxPages);
    if (pages === undefined || closing.signal.aborted) return undefined;
    return start({ pages, version: program });
  }

  function start(wanted: SearchRequest['wanted']): Promise<SearchOutcome | undefined> {
    const begin = performance.now();
    const outcome = runProcess({ outputDir, stateDir, wanted }, longestJobMs, closing.signal);
    job = outcome
      .catch(() => undefined)
      .then(() => {
        const pause = Math.min(PAUSE * (performance.now() - begin), LONGEST_PAUSE_MS);
        notBefore = performance.now() + pause;
      });
    return outcome;
  }

  /** Ends a job that is under way; the next start makes up for it. */
  async function close(): Promise<void> {
    closing.abort();
    clearTimeout(timer);
    await job;
  }

  return { built, index, close };
}

/** What the log says of an outcome; empty for nothing. */
function warningOf(outcome: SearchOutcome | undefined): string {
  if (outcome?.kind === 'failed')
    return `the search index could not be changed; the old one stays: ${outcome.reason}`;
  if (outcome?.kind === 'foreign')
    return `kept a search index that Pressmark did not write; remove ${SEARCH_FOLDER}/ from the output folder to have one`;
  return '';
}

/**
 * Has a process of its own make the index, or remove it.
 *
 * @param longestMs after so long the process is killed, and all that it has started.
 * @param signal kills it, too; what is on the disk stays whole.
 * @returns undefined where the signal has killed it.
 */
function runProcess(
  request: SearchRequest,
  longestMs: number,
  signal: AbortSignal,
): Promise<SearchOutcome | undefined> {
  const child = fork(new URL('./search-process.js', import.meta.url), {
    env: childEnvironment(),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true, // a session of its own has a priority of its own, and Ctrl-C on the terminal does not reach it
    signal,
    timeout: longestMs,
    killSignal: 'SIGKILL',
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
    child.on('exit', () => endGroup(child.pid)); // Pagefind's program may hang
    child.on('close', (code, killedBy) => {
      if (signal.aborted) resolve(undefined);
      else if (!child.killed)
        reject(new Error(`the indexing process ended with ${killedBy ?? code}: ${stderr.trim()}`));
      else
        reject(new Error(`Pagefind did not end within ${Math.ceil(longestMs / 60_000)} min, and was ended`));
    });
    child.send(request);
  });
}

/** Kills those that a process with a session of its own has started. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // They have ended with it.
  }
}
