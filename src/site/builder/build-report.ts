import type { SiteBuilt } from '../../host/hooks/hook-types.js';
import type { Log } from '../../log.js';

/** What a build did. */
export interface SiteReport extends Omit<SiteBuilt, 'articles' | 'began'> {
  /** The files below the content folder that it was for; none if it was for everything. */
  readonly paths: readonly string[];
}

/** One broken template breaks every page: so many different messages are logged, each once. */
const MOST_MESSAGES = 5;

/** Why a file could not be made, or only without filters. */
export interface Failure {
  readonly isMade: boolean;
  readonly reasons: readonly string[];
}

/** What a build has done so far; see `startReport`. */
export type BuildReportKeeper = ReturnType<typeof startReport>;

/** The report of a build. */
export function startReport() {
  const start = performance.now();
  const sizes = new Map<string, number>();
  const changed = new Set<string>();
  const failures = new Map<string, Failure>();
  let [written, removed] = [0, 0];

  /** The reasons of failures, each with the first page that it concerns and the number of pages. */
  function failuresByReason() {
    const found = new Map<string, { readonly page: string; pages: number; readonly isMade: boolean }>();
    for (const [page, { isMade, reasons }] of failures) {
      for (const reason of reasons) {
        const known = found.get(reason) ?? { page, pages: 0, isMade };
        known.pages++;
        found.set(reason, known);
      }
    }
    return [...found];
  }

  return {
    /** A file was made. @param bytes its size. */
    made(path: string, bytes: number, isWritten: boolean): void {
      sizes.set(path, bytes);
      if (!isWritten) return;
      written++;
      changed.add(path);
    },

    removed(path: string): void {
      removed++;
      changed.add(path);
    },

    /** A file was not made, or only without the filters that have failed. */
    failed: (page: string, failure: Failure): void => void failures.set(page, failure),

    /** Whether old files stay because they could not be made. */
    hasUnmade: () => [...failures.values()].some(({ isMade }) => !isMade),

    /** Writes to the log what went wrong. */
    logFailures(log: Log): void {
      const found = failuresByReason();
      for (const [reason, { page, pages, isMade }] of found.slice(0, MOST_MESSAGES))
        log.error(
          { page, pages, reason },
          isMade
            ? 'page built without a filter that has failed; it is built again later'
            : 'page not built; the old one stays',
        );
      if (found.length > MOST_MESSAGES)
        log.error(
          { reasons: found.length, pages: failures.size },
          'more pages were not built, or were built without a filter, for other reasons',
        );
    },

    /** @param output see `SiteReport.output`. */
    result(output: string): Omit<SiteReport, 'paths'> {
      let bytes = 0;
      for (const size of sizes.values()) bytes += size;
      return {
        pages: sizes.size,
        bytes,
        written,
        removed,
        failed: failures.size,
        failures: failuresByReason()
          .slice(0, MOST_MESSAGES)
          .map(([reason, { page }]) => ({ page, reason })),
        files: [...changed],
        output,
        ms: Math.round(performance.now() - start),
      };
    },
  };
}
