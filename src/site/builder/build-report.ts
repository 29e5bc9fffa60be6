import type { SiteBuilt } from '../../host/hooks/hook-types.js';
import type { Log } from '../../log.js';

/** The result of a build. */
export interface SiteReport extends Omit<SiteBuilt, 'articles' | 'began'> {
  /** The files below the content folder whose changes were built; empty for a build of everything. */
  readonly paths: readonly string[];
}

/** How many different messages are logged, each once, as one broken template breaks every page. */
const MOST_MESSAGES = 5;

/** Why a file could not be made, or was made without its filters. */
export interface Failure {
  readonly isMade: boolean;
  readonly reasons: readonly string[];
}

/** Collects the report of a build; see `startReport`. */
export type BuildReportKeeper = ReturnType<typeof startReport>;

/** Starts the report of a build. */
export function startReport() {
  const sizes = new Map<string, number>();
  const changed = new Set<string>();
  const failures = new Map<string, Failure>();
  let isStale = false;
  let [written, removed] = [0, 0];

  /** Groups failures by reason, each with its first page and the number of pages. */
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
    /** Records a file that was made. @param bytes its size. */
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

    /** Records a file that was not made, or was made without the filters that failed. */
    failed: (page: string, failure: Failure): void => void failures.set(page, failure),

    /** Records that a file stays for now, because its source changed after it was planned; the next build makes it. */
    stale(): void {
      isStale = true;
    },

    /** Whether some files could not be made, so that their old versions stay. */
    hasUnmade: () => isStale || [...failures.values()].some(({ isMade }) => !isMade),

    /** Logs the failures. */
    logFailures(log: Log): void {
      const found = failuresByReason();
      for (const [reason, { page, pages, isMade }] of found.slice(0, MOST_MESSAGES))
        log.error(
          { page, pages, reason },
          isMade
            ? 'page built without a filter that failed; it is built again later'
            : 'page not built; the old one stays',
        );
      if (found.length > MOST_MESSAGES)
        log.error(
          { reasons: found.length, pages: failures.size },
          'more pages were not built, or were built without a filter, for other reasons',
        );
    },

    /** @param output see `SiteReport.output`. @param began when the build began, by `performance.now()`. */
    result(output: string, began: number): Omit<SiteReport, 'paths'> {
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
        ms: Math.round(performance.now() - began),
      };
    },
  };
}
