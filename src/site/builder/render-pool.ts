import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { SiteInfo } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import type { ReadHeaders } from '../index/article-files.js';
import type { IndexEntry } from '../index/index-entry.js';
import type { RenderAnswer, RenderRequest } from './render-messages.js';

/** From so many articles on a second thread is worth its start. */
export const WORTH_A_POOL = 1_000;

/** Headers that the worker reads at a time. */
const HEADERS = 64;

/** A second thread that renders pages in large builds. */
export interface RenderWorker {
  /** @returns undefined where the thread has ended; whatever it was asked is then to be done by others. */
  ask<Kind extends RenderAnswer['kind']>(
    request: RenderRequest,
    kind: Kind,
  ): Promise<Extract<RenderAnswer, { kind: Kind }> | undefined>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Starts a render worker, in whose thread `serveRenders` answers. */
function startRenderWorker(spawn: () => Worker, log: Log): RenderWorker {
  let waiting: ((answer: RenderAnswer | undefined) => void)[] = [];
  let worker: Worker | undefined = spawn();
  worker.on('message', (answer: RenderAnswer) => waiting.shift()?.(answer));
  worker.on('error', (error) => end(messageOf(error)));
  worker.on('exit', () => end('it has ended'));

  function end(reason: string): void {
    if (worker === undefined) return;
    worker = undefined;
    log.warn({ reason }, 'the thread that renders pages has failed; the build goes on without it');
    const left = waiting;
    waiting = [];
    for (const resolve of left) resolve(undefined);
  }

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
    await open?.terminate();
  }

  return { ask, close };
}

/** The render worker of one build, started when there is enough to do. */
export interface RenderPool {
  /** Starts the worker where it is worth it and none is there yet. */
  start(articles: number): void;
  /** For the reader of article files. */
  readonly readHeaders: ReadHeaders;
  /** The worker, if there is one and it sees the site as this thread does. */
  prepared(themeDirs: readonly string[], site: SiteInfo, digest: string): Promise<RenderWorker | undefined>;
  release(): Promise<void>;
}

/**
 * A render pool whose worker is not started yet.
 *
 * @param spawn undefined where there must be none.
 * @param worthIt from so many articles on one is started.
 */
export function createRenderPool(
  spawn: (() => Worker) | undefined,
  log: Log,
  worthIt = WORTH_A_POOL,
): RenderPool {
  let worker: RenderWorker | undefined;

  function start(articles: number): void {
    if (articles >= worthIt && spawn !== undefined) worker ??= startRenderWorker(spawn, log);
  }

  const readHeaders: ReadHeaders = async (paths, readHeader, take) => {
    start(paths.length);
    const own = async (batch: readonly string[]) => {
      for (const path of batch) take(path, readHeader(path));
    };
    const { ask } = worker ?? {};
    if (ask === undefined) return share({ items: paths, size: HEADERS }, own);
    await share({ items: paths, size: HEADERS }, own, async (batch) => {
      const answer = await ask({ kind: 'headers', paths: batch }, 'headers');
      if (answer === undefined) return false;
      const entries: (IndexEntry | null)[] = JSON.parse(answer.entries);
      for (const [index, path] of batch.entries()) take(path, entries[index] ?? undefined);
      return true;
    });
  };

  async function prepared(
    themeDirs: readonly string[],
    site: SiteInfo,
    digest: string,
  ): Promise<RenderWorker | undefined> {
    const answer = await worker?.ask({ kind: 'prepare', themeDirs, site, digest }, 'prepared');
    return answer?.alike ? worker : undefined;
  }

  async function release(): Promise<void> {
    const old = worker;
    worker = undefined;
    await old?.close();
  }

  return { start, readHeaders, prepared, release };
}

/** Batches that a worker has before it, so that it never waits for the next one. */
const UNDER_WAY = 5;

/** What is shared between two threads. */
export interface Shared<T> {
  readonly items: readonly T[];
  /** Of a batch. */
  readonly size: number;
}

/**
 * Has a list worked off by this thread and a worker, each taking the next batch when it is free.
 *
 * @param own works a batch off in this thread.
 * @param worker has a batch worked off by the worker; false where that is no more, and it was not done. Undefined
 *   where there is none.
 */
export async function share<T>(
  { items, size }: Shared<T>,
  own: (batch: readonly T[]) => Promise<void>,
  worker?: (batch: readonly T[]) => Promise<boolean>,
): Promise<void> {
  let at = 0;

  function next(): readonly T[] {
    const batch = items.slice(at, at + size);
    at += size;
    return batch;
  }

  async function work(): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      await own(batch);
      await nextTurn(); // the worker's answers come in between
    }
  }

  async function delegate(to: (batch: readonly T[]) => Promise<boolean>): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      if (await to(batch)) continue;
      await own(batch);
      return;
    }
  }

  const delegated = worker === undefined ? [] : Array.from({ length: UNDER_WAY }, () => delegate(worker));
  await Promise.all([work(), ...delegated]);
}
