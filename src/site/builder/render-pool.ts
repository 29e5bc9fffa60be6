import type { Worker } from 'node:worker_threads';
import type { SiteInfo } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import type { ReadHeaders } from '../index/article-files.js';
import type { IndexEntry } from '../index/index-entry.js';
import { type RenderWorker, startRenderWorker } from './render-worker-client.js';
import { share } from './work-sharing.js';

/** From so many articles on a second thread is worth its start. */
export const WORTH_A_POOL = 1_000;

/** Files that are given to the helper at a time. */
const BATCH = 64;

/** The helper of one build, started when there is enough to do. */
export interface RenderPool {
  /** Starts the helper where it is worth it and none is there yet. */
  start(articles: number): void;
  /** For the intake. */
  readonly readHeaders: ReadHeaders;
  /** The helper, if there is one and it sees the site as this thread does. */
  prepared(themeDirs: readonly string[], site: SiteInfo, digest: string): Promise<RenderWorker | undefined>;
  release(): Promise<void>;
}

/**
 * A helper that is not started yet.
 *
 * @param spawn undefined where there must be none.
 * @param worthIt from so many articles on one is started.
 */
export function createRenderPool(
  spawn: (() => Worker) | undefined,
  log: Log,
  worthIt = WORTH_A_POOL,
): RenderPool {
  let helper: RenderWorker | undefined;

  function start(articles: number): void {
    if (articles >= worthIt && spawn !== undefined) helper ??= startRenderWorker(spawn, log);
  }

  const readHeaders: ReadHeaders = async (paths, readHeader, take) => {
    start(paths.length);
    const own = async (batch: readonly string[]) => {
      for (const path of batch) take(path, readHeader(path));
    };
    const { ask } = helper ?? {};
    if (ask === undefined) return share({ items: paths, size: BATCH }, own);
    await share({ items: paths, size: BATCH }, own, async (batch) => {
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
    const answer = await helper?.ask({ kind: 'prepare', themeDirs, site, digest }, 'prepared');
    return answer?.alike ? helper : undefined;
  }

  async function release(): Promise<void> {
    const old = helper;
    helper = undefined;
    await old?.close();
  }

  return { start, readHeaders, prepared, release };
}
