import fs from 'node:fs';
import { CLOCK, type Clock } from '../../src/sender/clock.js';

/** How long a minute of the contract takes, in milliseconds; ten of them must be longer than any request. */
const MINUTE_MS = 80;

const FACTOR = 60_000 / MINUTE_MS;

/** A clock that runs much faster than the machine's, the same in all processes that are given the same file. */
export interface CompressedClock extends Clock {
  /** Lets all of these clocks leap, over a time in which nothing would happen. */
  leap(ms: number): void;
}

/**
 * @param began when it said the same as the machine's, in milliseconds since the epoch.
 * @param path the file in which the leaps are kept.
 */
export function compressedClock(began: number, path: string): CompressedClock {
  const leapt = () => (fs.existsSync(path) ? Number(fs.readFileSync(path, 'utf8')) : 0);
  return {
    now: () => began + Math.round((Date.now() - began) * FACTOR) + leapt(),
    wait: (ms, signal) => CLOCK.wait(ms / FACTOR, signal),
    leap: (ms) => {
      fs.writeFileSync(`${path}.new`, String(leapt() + ms));
      fs.renameSync(`${path}.new`, path); // others are reading
    },
  };
}
