import { messageOf } from '../../errors.js';
import type { SearchPage } from '../search/search-messages.js';
import type { SiteOptions, SiteReport, UpdateRequest } from '../site-options.js';
import { checkSite, type Difference } from '../write/check.js';
import { createSite } from './site.js';

export type { SiteOptions, SiteReport } from '../site-options.js';
export type { Difference } from '../write/check.js';

/** So long after a build its files are synced: by then the system has written nearly all of them by itself. */
const SYNC_AFTER_MS = 60_000;
/** How long a sync may take, … */
const SYNC_MS = 60_000;
/** … and at the end. A start looks through the files that were not synced, which is no harm. */
const LAST_SYNC_MS = 1_000;

/** Builds one site, one build at a time. */
export interface Builder {
  /**
   * Reads what was built last, so that the first build need not, and builds what an unclean stop has damaged; says
   * whether the site stands whole as that was read.
   */
  prepare(): Promise<boolean>;
  /** Whether the output was checked after the last stop, and nothing was found to be damaged: what is there can be served. */
  isUndamaged(): boolean;
  /**
   * Brings the whole output up to date: scans the content folder, builds what differs.
   *
   * @param options.force builds every page anew; files are still only written where they differ.
   */
  buildAll(options?: Omit<UpdateRequest, 'paths'>): Promise<SiteReport>;
  /**
   * Brings the output up to date after these paths (below the content folder) may have changed. A build of
   * everything that is under way is not waited for.
   */
  buildChanged(paths: readonly string[]): Promise<SiteReport>;
  /** Has builds rest most of the time while deliveries come in fast, or no more. */
  pace(isBurst: boolean): void;
  /** Compares the output with what a build from nothing gives; see `checkSite`. */
  check(onProgress?: UpdateRequest['onProgress']): Promise<Difference[]>;
  /** The pages of the newest articles as they were built last, at most `count`, oldest first. */
  newestPages(count: number): Promise<SearchPage[]>;
  /** Waits for the build under way, syncs what was built, and lets go of everything. */
  close(): Promise<void>;
}

/** The builder of one site. */
export function createBuilder(options: SiteOptions): Builder {
  const site = createSite(options);
  let queue: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isBurst = false;

  function syncLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (isBurst) syncLater();
      else void sync(SYNC_MS).catch(tellOfSync);
    }, SYNC_AFTER_MS).unref();
  }

  async function sync(timeoutMs: number): Promise<void> {
    if (site.isSynced()) return;
    const namings = await site.syncOutput(timeoutMs);
    if (namings === undefined) syncLater();
    else await enqueue(() => site.noteSynced(namings));
  }

  function tellOfSync(error: unknown): void {
    syncLater();
    options.log.debug({ reason: messageOf(error) }, 'what was built could not be synced');
  }

  function enqueue<T>(build: () => Promise<T>): Promise<T> {
    const result = queue.then(build).finally(syncLater);
    queue = result.catch(() => undefined); // told to whoever asked for that build
    return result;
  }

  return {
    prepare: () => enqueue(site.prepare),
    isUndamaged: site.isUndamaged,
    buildAll: (options = {}) => enqueue(() => site.update({ ...options, paths: undefined })),
    buildChanged: (paths) => {
      const interrupted = site.interrupt(paths);
      if (interrupted === undefined) return enqueue(() => site.update({ paths }));
      queue = Promise.all([queue, interrupted.catch(() => undefined)]);
      return interrupted;
    },
    pace: (to) => {
      isBurst = to;
      site.pace(to);
    },
    check: (onProgress) => enqueue(() => site.exclusively(() => checkSite(options, onProgress))),
    newestPages: (count) => enqueue(async () => site.newestPages(count)),
    close: async () => {
      await queue;
      await sync(options.lastSyncMs ?? LAST_SYNC_MS).catch(tellOfSync);
      clearTimeout(timer);
      site.close();
    },
  };
}
