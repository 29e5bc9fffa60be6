import fs from 'node:fs';
import test from 'ava';
import { createLog } from '../../src/log.js';

/** Every write to it fails as on a full disk; Linux has it. */
const FULL = '/dev/full';

// Elsewhere it is reported as skipped.
const onLinux = fs.existsSync(FULL) ? test : test.skip;

for (const terminal of [false, true]) {
  onLinux(`a log on a full disk loses its lines and harms nobody, terminal: ${terminal}`, (t) => {
    const log = createLog({ level: 'info', terminal, fd: fs.openSync(FULL, 'w') });
    t.notThrows(() => {
      for (let line = 0; line < 3; line++) log.info({ line }, 'delivery');
    });
  });
}
