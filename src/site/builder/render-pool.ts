import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { SiteInfo, SiteLink } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import type { ReadHeaders } from '../index/article-files.js';
import type { IndexEntry } from '../index/index-entry.js';
import type { ArticleJob } from '../outputs/article-pages.js';
import type { Page } from '../render/page.js';
import type { StagedFile } from '../write/staged-file.js';

/** From so many pages on further threads are worth their start. */
export const WORTH_A_POOL = 1_000;

/** Headers that a worker reads at a time. */
const HEADERS = 64;

/** A page as a render worker is asked to make it. */
export type RenderJob = {
  /** Below the output folder. */
  readonly file: string;
  /** The size of the page as it stands, in bytes; the same page is not written again. Undefined where none stands. */
  readonly existingSize: number | undefined;
} & (
  | { readonly kind: 'article'; readonly article: ArticleJob }
  /** Such as one of a list: all that it shows is known. */
  | { readonly kind: 'page'; readonly page: Page }
);

/** How a render worker must see the site. */
export interface RenderSettings {
  readonly themeDirs: readonly string[];
  readonly site: SiteInfo;
  readonly themeHash: string;
  /** The links to pages of the owner's. */
  readonly navigation: readonly SiteLink[];
}

/** What the builder asks of a render worker. */
export type RenderRequest =
  | ({ readonly kind: 'prepare' } & RenderSettings)
  /** To look at the beginnings of article files. */
  | { readonly kind: 'headers'; readonly paths: readonly string[] }
  /** To write staged files of pages into a folder, for the output folder `root`. */
  | {
      readonly kind: 'make';
      readonly jobs: readonly RenderJob[];
      /** The slugs of the terms that these pages link to, by their names. */
      readonly tags: ReadonlyMap<string, string>;
      readonly authors: ReadonlyMap<string, string>;
      readonly stagingDir: string;
      readonly root: string;
    };

/** What became of a page. */
export type Rendered =
  | { readonly kind: 'staged'; readonly staged: StagedFile; readonly readingMinutes: number | undefined }
  /** It stands as it is. */
  | { readonly kind: 'same'; readonly size: number; readonly readingMinutes: number | undefined }
  /** Left to the builder: its article has changed, it links a term whose slug it was not given, or it has failed. */
  | { readonly kind: 'declined' };

/** What a render worker answers, one for every request, in their order. */
export type RenderAnswer =
  | { readonly kind: 'prepared'; readonly alike: boolean }
  /** As JSON, which travels faster; null for a file that must be read whole. */
  | { readonly kind: 'headers'; readonly entries: string }
  | { readonly kind: 'made'; readonly made: readonly Rendered[] };

/** A further thread that renders pages in large builds, in which `serveRenders` answers. */
export type RenderWorker = ReturnType<typeof startRenderWorker>;

function startRenderWorker(spawn: () => Worker, log: Log) {
  const waiting: ((answer: RenderAnswer | undefined) => void)[] = [];
  let worker: Worker | undefined = spawn();
  worker.on('message', (answer: RenderAnswer) => waiting.shift()?.(answer));
  worker.on('error', (error) => end(messageOf(error)));
  worker.on('exit', () => end('it has ended'));

  function end(reason: string): void {
    if (worker === undefined) return;
    worker = undefined;
    log.warn({ reason }, 'the thread that renders pages has failed; the build goes on without it');
    for (const resolve of waiting.splice(0)) resolve(undefined);
  }

  /** @returns undefined where the thread has ended; whatever it was asked is then to be done by others. */
  async function ask<Kind extends RenderAnswer['kind']>(request: RenderRequest, kind: Kind) {
    const answer = await new Promise<RenderAnswer | undefined>((resolve) => {
      if (worker === undefined) return resolve(undefined);
      waiting.push(resolve);
      worker.postMessage(request);
    });
    return answer?.kind === kind ? (answer as Extract<RenderAnswer, { kind: Kind }>) : undefined;
  }

  async function close(): Promise<void> {
    const open = worker;
    worker = undefined;
    for (const resolve of waiting.splice(0)) resolve(undefined);
    await open?.terminate();
  }

  return { ask, close };
}

/** The render workers of one build, started when there is enough to do. */
export type RenderPool = ReturnType<typeof createRenderPool>;

/** How a render pool gets its workers. */
export interface RenderPoolOptions {
  /** Starts a thread; undefined where there must be none. */
  readonly spawnRenderWorker?: (() => Worker) | undefined;
  /** How many. @default 1 */
  readonly renderWorkers?: number | undefined;
  /** From so many pages on. @default 1000 */
  readonly poolFrom?: number | undefined;
}

/** A render pool whose workers are not started yet. */
export function createRenderPool(options: RenderPoolOptions, log: Log) {
  const { spawnRenderWorker: spawn, renderWorkers: count = 1, poolFrom = WORTH_A_POOL } = options;
  let workers: RenderWorker[] = [];

  /** Starts the workers where they are worth it and not there yet. */
  function start(pages: number): void {
    if (pages < poolFrom || spawn === undefined || workers.length > 0) return;
    workers = Array.from({ length: count }, () => startRenderWorker(spawn, log));
  }

  /** For the reader of article files. */
  const readHeaders: ReadHeaders = async (paths, readHeader, take) => {
    start(paths.length);
    const own = async (batch: readonly string[]) => {
      for (const path of batch) take(path, readHeader(path));
    };
    const others = workers.map(({ ask }) => async (batch: readonly string[]) => {
      const answer = await ask({ kind: 'headers', paths: batch }, 'headers');
      if (answer === undefined) return false;
      const entries: (IndexEntry | null)[] = JSON.parse(answer.entries);
      for (const [index, path] of batch.entries()) take(path, entries[index] ?? undefined);
      return true;
    });
    await share({ items: paths, size: HEADERS }, own, others);
  };

  /** The workers that see the site as this thread does. */
  async function prepared(settings: RenderSettings): Promise<readonly RenderWorker[]> {
    const alike = await Promise.all(
      workers.map(
        async ({ ask }) => (await ask({ kind: 'prepare', ...settings }, 'prepared'))?.alike === true,
      ),
    );
    return workers.filter((_, index) => alike[index]);
  }

  async function release(): Promise<void> {
    const old = workers;
    workers = [];
    await Promise.all(old.map(({ close }) => close()));
  }

  return { start, readHeaders, prepared, release };
}

/** Batches that a worker has before it, so that it never waits for the next one. */
const UNDER_WAY = 5;

/** What is shared between threads. */
export interface Shared<T> {
  readonly items: readonly T[];
  /** Of a batch, at most. */
  readonly size: number;
}

/**
 * Has a list worked off by this thread and others, each taking the next batch when it is free. Batches become smaller
 * towards the end, so that no thread has much before it while another has nothing to do.
 *
 * @param own works a batch off in this thread.
 * @param others each has a batch worked off by another thread; false where that is no more, and it was not done.
 */
export async function share<T>(
  { items, size }: Shared<T>,
  own: (batch: readonly T[]) => Promise<void>,
  others: readonly ((batch: readonly T[]) => Promise<boolean>)[],
): Promise<void> {
  const threads = 1 + others.length;
  let at = 0;
  let hasFailed = false;

  function next(): readonly T[] {
    if (hasFailed) return [];
    const length = Math.min(size, Math.ceil((items.length - at) / (threads * UNDER_WAY)));
    at += length;
    return items.slice(at - length, at);
  }

  async function work(): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      await own(batch);
      await nextTurn(); // the workers' answers come in between
    }
  }

  async function delegate(to: (batch: readonly T[]) => Promise<boolean>): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      if (await to(batch)) continue;
      if (!hasFailed) await own(batch);
      return;
    }
  }

  // Each thread its first batch, before one of them gets a second.
  const running = [...Array.from({ length: UNDER_WAY }, () => others.map(delegate)).flat(), work()];
  // Nobody may go on in the background once the caller knows of a failure.
  const ended = await Promise.allSettled(
    running.map((one) =>
      one.catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    ),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
