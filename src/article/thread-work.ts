import fs from 'node:fs';
import { basename } from 'node:path';

/** The number of the thread that asks, by which others can see what it works; undefined where the system has none. */
export function ownThread(): string | undefined {
  try {
    const thread = basename(fs.readlinkSync('/proc/thread-self'));
    return fs.existsSync(fileOf(thread)) ? thread : undefined;
  } catch {
    return undefined; // only Linux has it
  }
}

/**
 * What a thread of this process has worked, in milliseconds; the time that passes where the system does not report it.
 *
 * @param thread what `ownThread` says in that thread.
 */
export function workOf(thread: string | undefined): () => number {
  if (thread === undefined) return () => performance.now();
  return () => {
    try {
      const [nanoseconds] = fs.readFileSync(fileOf(thread), 'utf8').split(' ', 1);
      return Number(nanoseconds) / 1e6;
    } catch {
      return Number.POSITIVE_INFINITY; // the thread has ended
    }
  };
}

const fileOf = (thread: string) => `/proc/self/task/${thread}/schedstat`;
