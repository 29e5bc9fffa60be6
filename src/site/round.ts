import type { Log } from '../log.js';
import { createFailures } from './failures.js';
import type { Content, Output } from './output.js';

/** One build: what it has made, and what went wrong. */
export interface Round {
  /** Pages made, whether or not they differed. */
  readonly pages: number;
  readonly written: number;
  readonly removed: number;
  readonly failed: number;
  /**
   * Makes a file's content and puts it in its place. A failure is this one's alone: the old file stays.
   *
   * @returns whether it was done.
   */
  build(file: string, make: () => Content | Promise<Content>): Promise<boolean>;
  /** Removes files, but none that this round was to build. */
  remove(files: Iterable<string>): Promise<void>;
  report(log: Log): void;
}

/** A round that has built nothing yet. */
export function createRound(output: Output): Round {
  const attempted = new Set<string>();
  const failures = createFailures();
  let pages = 0;
  let written = 0;
  let removed = 0;

  async function build(file: string, make: () => Content | Promise<Content>): Promise<boolean> {
    attempted.add(file);
    const done = await failures.attempt(file, async () => {
      const content = await make();
      pages++;
      if (output.put(file, content)) written++;
      return true;
    });
    return done ?? false;
  }

  async function remove(files: Iterable<string>): Promise<void> {
    for (const file of files) {
      if (attempted.has(file)) continue;
      if (await failures.attempt(file, () => output.remove(file))) removed++;
    }
  }

  return {
    get pages() {
      return pages;
    },
    get written() {
      return written;
    },
    get removed() {
      return removed;
    },
    get failed() {
      return failures.count;
    },
    build,
    remove,
    report: failures.report,
  };
}
