// Loaded before the program (node --import): while a file is there, time passes five times as fast.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const { PRESSMARK_TEST_FAST_WHILE: path = '' } = process.env;
const FACTOR = 5;

const factor = () => (fs.existsSync(path) ? FACTOR : 1);
const real = {
  now: performance.now.bind(performance),
  setTimeout: globalThis.setTimeout,
  wait: timers.setTimeout,
};
let [lastReal, lastSaid] = [real.now(), real.now()];

performance.now = () => {
  const now = real.now();
  lastSaid += (now - lastReal) * factor();
  lastReal = now;
  return lastSaid;
};
Object.assign(globalThis, {
  setTimeout: Object.assign(
    (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      real.setTimeout(work, ms / factor(), ...args),
    real.setTimeout, // its promisified form
  ),
});
timers.setTimeout = (ms = 0, ...rest) => real.wait(ms / factor(), ...rest);
syncBuiltinESMExports();
