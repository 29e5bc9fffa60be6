import type { Worker } from 'node:worker_threads';
import type { SiteInfo } from '../host/page-types.js';
import type { Log } from '../log.js';
import { type Helper, startHelper } from './helper.js';
import type { IndexEntry } from './index-entry.js';
import type { GlimpseMany } from './intake.js';
import { share } from './share.js';

/** From so many articles on a second thread is worth its start. */
export const WORTH_A_HELPER = 1_000;

/** Files that are given to the helper at a time. */
const BATCH = 64;

/** The helper of one build, started when there is enough to do. */
export interface Hired {
  /** Starts the helper where it is worth it and none is there yet. */
  hire(articles: number): void;
  /** For the intake. */
  readonly glimpseMany: GlimpseMany;
  /** The helper, if there is one and it sees the site as this thread does. */
  dressed(templatesDir: string, site: SiteInfo, digest: string): Promise<Helper | undefined>;
  dismiss(): Promise<void>;
}

/**
 * A helper that is not started yet.
 *
 * @param spawn undefined where there must be none.
 * @param worthIt from so many articles on one is started.
 */
export function hired(spawn: (() => Worker) | undefined, log: Log, worthIt = WORTH_A_HELPER): Hired {
  let helper: Helper | undefined;

  function hire(articles: number): void {
    if (articles >= worthIt && spawn !== undefined) helper ??= startHelper(spawn, log);
  }

  const glimpseMany: GlimpseMany = async (paths, glimpse, take) => {
    hire(paths.length);
    const own = async (batch: readonly string[]) => {
      for (const path of batch) take(path, glimpse(path));
    };
    const { ask } = helper ?? {};
    if (ask === undefined) return share({ items: paths, size: BATCH }, own);
    await share({ items: paths, size: BATCH }, own, async (batch) => {
      const answer = await ask({ do: 'glimpse', paths: batch }, 'glimpsed');
      if (answer === undefined) return false;
      const entries: (IndexEntry | null)[] = JSON.parse(answer.entries);
      for (const [index, path] of batch.entries()) take(path, entries[index] ?? undefined);
      return true;
    });
  };

  async function dressed(templatesDir: string, site: SiteInfo, digest: string): Promise<Helper | undefined> {
    const answer = await helper?.ask({ do: 'dress', templatesDir, site, digest }, 'dressed');
    return answer?.alike ? helper : undefined;
  }

  async function dismiss(): Promise<void> {
    const old = helper;
    helper = undefined;
    await old?.close();
  }

  return { hire, glimpseMany, dressed, dismiss };
}
