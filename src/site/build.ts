import { checkSite, type Difference } from './check.js';
import type { SearchPage } from './search-messages.js';
import { createSite } from './site.js';
import type { SiteOptions, SiteReport, UpdateRequest } from './site-options.js';

export type { Difference } from './check.js';
export type { SiteOptions, SiteReport } from './site-options.js';

/** Builds one site, one build at a time. */
export interface Builder {
  /** Reads what was built last, so that the first build need not; says whether the site stands as that was read. */
  prepare(): Promise<boolean>;
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
  pace(isRush: boolean): void;
  /** Compares the output with what a build from nothing gives; see `checkSite`. */
  check(onProgress?: UpdateRequest['onProgress']): Promise<Difference[]>;
  /** The pages of the newest articles as they were built last, at most `count`, oldest first. */
  newestPages(count: number): Promise<SearchPage[]>;
  /** Waits for the build under way and lets go of everything. */
  close(): Promise<void>;
}

/** The builder of one site. */
export function createBuilder(options: SiteOptions): Builder {
  const site = createSite(options);
  let queue: Promise<unknown> = Promise.resolve();

  function enqueue<T>(build: () => Promise<T>): Promise<T> {
    const result = queue.then(build);
    queue = result.catch(() => undefined); // told to whoever asked for that build
    return result;
  }

  return {
    prepare: () => enqueue(site.prepare),
    buildAll: (options = {}) => enqueue(() => site.update({ ...options, paths: undefined })),
    buildChanged: (paths) => {
      const interrupted = site.interrupt(paths);
      if (interrupted === undefined) return enqueue(() => site.update({ paths }));
      queue = Promise.all([queue, interrupted.catch(() => undefined)]);
      return interrupted;
    },
    pace: site.pace,
    check: (onProgress) => enqueue(() => checkSite(options, onProgress)),
    newestPages: (count) => enqueue(async () => site.newestPages(count)),
    close: async () => {
      await queue;
      site.close();
    },
  };
}
