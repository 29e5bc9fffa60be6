import { createSite, type SiteOptions, type SiteReport } from './site.js';

export type { SiteOptions, SiteReport } from './site.js';

/** Builds one site, one build at a time. */
export interface Builder {
  /**
   * Brings the whole output up to date: scans the content folder, builds what differs.
   *
   * @param options.force builds every page anew; files are still only written where they differ.
   */
  buildAll(options?: { force?: boolean }): Promise<SiteReport>;
  /** Brings the output up to date after these paths (below the content folder) may have changed. */
  buildChanged(paths: readonly string[]): Promise<SiteReport>;
  /** Waits for the build under way and lets go of everything. */
  close(): Promise<void>;
}

/** The builder of one site. */
export function createBuilder(options: SiteOptions): Builder {
  const site = createSite(options);
  let queue: Promise<unknown> = Promise.resolve();

  function enqueue(build: () => Promise<SiteReport>): Promise<SiteReport> {
    const result = queue.then(build);
    queue = result.catch(() => undefined); // told to whoever asked for that build
    return result;
  }

  return {
    buildAll: ({ force = false } = {}) => enqueue(() => site.update({ paths: undefined, force })),
    buildChanged: (paths) => enqueue(() => site.update({ paths, force: false })),
    close: async () => {
      await queue;
      site.close();
    },
  };
}
