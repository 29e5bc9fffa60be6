import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';

/** One broken template breaks every page: so many different messages are logged, each once. */
const MOST_MESSAGES = 5;

/** What went wrong in one build, gathered so that the log stays readable. */
export interface Failures {
  readonly count: number;
  /** Runs `work`; its failure is one page's, and the build goes on. */
  attempt<T>(page: string, work: () => T | Promise<T>): Promise<T | undefined>;
  /** Writes to the log what has gone wrong. */
  report(log: Log): void;
}

/** An empty list of failures. */
export function createFailures(): Failures {
  const byMessage = new Map<string, { page: string; pages: number; error: unknown }>();
  let count = 0;

  async function attempt<T>(page: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      count++;
      const known = byMessage.get(messageOf(error));
      byMessage.set(messageOf(error), { page, error, ...known, pages: (known?.pages ?? 0) + 1 });
      return undefined;
    }
  }

  function report(log: Log): void {
    for (const { page, pages, error } of [...byMessage.values()].slice(0, MOST_MESSAGES)) {
      log.error({ page, pages, reason: messageOf(error) }, 'page not built; the old one stays');
    }
    if (byMessage.size > MOST_MESSAGES) log.error({ reasons: byMessage.size, pages: count }, 'and others');
  }

  return {
    get count() {
      return count;
    },
    attempt,
    report,
  };
}
