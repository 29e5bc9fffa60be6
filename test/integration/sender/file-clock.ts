import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../src/sender/clock.js';

/** A clock that several processes read from one file, and that moves only where one of them says so. */
export interface FileClock extends Clock {
  pass(ms: number): void;
}

/** @param path the file, which holds the time in milliseconds since the epoch. */
export function fileClock(path: string): FileClock {
  const now = () => Number(fs.readFileSync(path, 'utf8'));
  return {
    now,
    wait: async (ms, signal) => {
      for (const end = now() + ms; now() < end && !signal.aborted; ) await pause(10);
    },
    pass: (ms) => {
      fs.writeFileSync(`${path}.new`, String(now() + ms));
      fs.renameSync(`${path}.new`, path); // others are reading
    },
  };
}
