import type { Log } from '../log.js';

/** The shortest time between two log lines about the same fault, in milliseconds. */
const EVERY_MS = 60_000;

/** Logs a fault of a plugin. @param key identifies the fault. */
export type Blame = (
  level: 'warn' | 'error',
  key: string,
  details: { readonly plugin: string; readonly [detail: string]: unknown },
  words: string,
) => void;

/** Creates a function that logs faults of plugins, each at most once a minute, with the number of suppressed repetitions. */
export function createBlame(log: Log): Blame {
  const said = new Map<string, { since: number; more: number }>();
  return (level, key, details, words) => {
    const last = said.get(key);
    if (last !== undefined && performance.now() - last.since < EVERY_MS) {
      last.more++;
      return;
    }
    const again = last !== undefined && last.more > 0 ? { again: last.more } : {};
    said.set(key, { since: performance.now(), more: 0 });
    log[level]({ ...details, ...again }, words);
  };
}
