import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { childEnvironment } from '../child-environment.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { BuiltArticlePage } from './builder/builder.js';
import type { SearchRequest } from './search-process.js';

/** The folder of the index, below the output folder. */
const FOLDER = 'pagefind';

/** The file in the index's folder that records its version; `search-process.ts` writes it. */
const RECORD = 'pressmark.json';

/** The delay between a build and the index, in milliseconds. */
const QUIET_MS = 2_000;

/** The pause after a job, in multiples of its time, so that indexing takes at most a fifth of the time. */
const PAUSE = 4;
const LONGEST_PAUSE_MS = 10 * 60_000;

/** The pause after a failed job, in milliseconds. */
const RETRY_MS = 60_000;

/** How long a job may take, in milliseconds: if Pagefind's program has ended, its library waits forever. */
const LONGEST_JOB_MS = 10 * 60_000;

/** The default number of indexed pages. */
const MOST_PAGES = 5_000;

/**
 * The memory that Pagefind takes for a page of 15 KB, in bytes (measured), and the part of the machine's memory that it may
 * take.
 */
const MEMORY_PER_PAGE = 850_000;
const MEMORY_SHARE = 1 / 4;

/** The config's settings of the search; false for none. */
export type SearchSettings = boolean | { readonly maxPages: number };

export interface SearchOptions {
  /** Absolute. */
  readonly outputDir: string;
  readonly stateDir: string;
  readonly siteUrl: string;
  readonly settings: SearchSettings;
  /** The pages of articles, newest first; undefined if they are not known. */
  pages(): Promise<readonly BuiltArticlePage[] | undefined>;
  /** Called after the index has changed. */
  onWritten?(): void;
  readonly log: Log;
  /** How long a job may take, in milliseconds. @default 600000 */
  readonly longestJobMs?: number;
}

/** The index of the site's search; see `createSearch`. */
export type Search = ReturnType<typeof createSearch>;

/** Keeps the index of the site's search up to date after builds, with one job at a time, in a separate process. */
export function createSearch(options: SearchOptions) {
  const { outputDir, stateDir, settings, log, longestJobMs = LONGEST_JOB_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isDirty = false;
  let following: Promise<void> | undefined;

  /** Schedules an update of the index, as pages may have changed. */
  function built(): void {
    isDirty = true;
    following ??= follow();
  }

  async function follow(): Promise<void> {
    for (let pause = QUIET_MS; ; ) {
      await setTimeout(pause, undefined, { signal }).catch(() => undefined);
      if (!isDirty || signal.aborted) break;
      isDirty = false;
      const start = performance.now();
      const isDone = await index();
      isDirty ||= !isDone;
      pause = isDone ? Math.min(PAUSE * (performance.now() - start), LONGEST_PAUSE_MS) : RETRY_MS;
    }
    following = undefined;
  }

  /** Updates the index now. Never rejects. @returns whether that succeeded. */
  async function index(): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      log.warn({ reason: messageOf(error) }, 'the search index was not written; the old one stays');
      return false;
    }
  }

  async function run(): Promise<void> {
    const version = pagefindVersion(log);
    if (settings !== false && version === undefined) return;
    const pages = settings === false ? [] : await pagesToFind();
    if (pages === undefined || signal.aborted) return;
    const of = pages.length === 0 ? '' : hash('sha256', JSON.stringify([version, pages]));
    if (of === searchIndexVersion(outputDir)) return;
    const start = performance.now();
    const folder = join(outputDir, FOLDER);
    if (pages.length === 0) fs.rmSync(folder, { recursive: true });
    else await inProcess({ outputDir, stateDir, folder, record: RECORD, of, pages });
    log.info({ pages: pages.length, ms: Math.round(performance.now() - start) }, 'search index written');
    options.onWritten?.();
  }

  /** Lists the pages to index; undefined if they are not known. */
  async function pagesToFind(): Promise<SearchRequest['pages'] | undefined> {
    const base = new URL(options.siteUrl).pathname.replace(/\/$/, '');
    const pages = await options.pages();
    return pages?.slice(0, mostPages(settings)).map(({ file, url, digest }) => ({
      file,
      url: new URL(url).pathname.slice(base.length),
      digest,
    }));
  }

  function inProcess(request: SearchRequest): Promise<void> {
    const started = fork(new URL('./search-process.js', import.meta.url), {
      execArgv: [],
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true, // Ctrl-C on a terminal does not reach it, and its children can be killed as a group
      timeout: longestJobMs,
      killSignal: 'SIGKILL',
    });
    const kill = () => {
      endGroup(started.pid); // together, as Pagefind would print an error if its reader ended first
      started.kill('SIGKILL');
    };
    signal.addEventListener('abort', kill);
    return new Promise((resolve, reject) => {
      let reason: string | undefined;
      started.on('message', (message) => {
        reason = String(message);
      });
      started.on('error', reject);
      started.on('exit', (code, killedBy) => {
        signal.removeEventListener('abort', kill);
        endGroup(started.pid);
        if (code === 0) resolve();
        else reject(new Error(reason ?? `the indexing process ended with ${killedBy ?? code}`));
      });
      started.send(request);
    });
  }

  /** Stops the current job; the next start updates the index. */
  async function close(): Promise<void> {
    stopping.abort();
    await following;
  }

  return { built, index, close };
}

/** Reads the version of a site's index, see `SearchRequest.of`; empty if there is none. */
export function searchIndexVersion(outputDir: string): string {
  try {
    const record: { of?: string } = JSON.parse(fs.readFileSync(join(outputDir, FOLDER, RECORD), 'utf8'));
    return record.of ?? '';
  } catch {
    return ''; // there is none
  }
}

/** Returns how many of the newest pages are indexed. */
function mostPages(settings: SearchSettings): number {
  if (typeof settings === 'object') return settings.maxPages;
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(MOST_PAGES, Math.floor((machine * MEMORY_SHARE) / MEMORY_PER_PAGE));
}

/**
 * Returns the version of Pagefind, an optional dependency whose program exists only for some platforms.
 *
 * @returns undefined if it is not installed; then there is no search.
 */
export function pagefindVersion(log?: Log): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.resolve('pagefind'));
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    const file = resolve(`@pagefind/${platform}-${process.arch}/package.json`);
    const { version }: { version: string } = JSON.parse(fs.readFileSync(file, 'utf8'));
    return version;
  } catch (error) {
    log?.debug({ reason: messageOf(error).split('\n', 1)[0] }, 'no search: Pagefind is not installed');
    return undefined;
  }
}

/** Kills a process and its children, by its process group. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}
