import fs from 'node:fs';
import test from 'ava';
import { createLog } from '../../src/log.js';

/** Every write to it fails as on a full disk; Linux has it. */
const FULL = '/dev/full';

for (const terminal of [false, true]) {
  test(`a log on a full disk loses its lines and harms nobody, terminal: ${terminal}`, (t) => {
    if (!fs.existsSync(FULL)) return t.pass();
    const log = createLog({ level: 'info', terminal, fd: fs.openSync(FULL, 'w') });
    t.notThrows(() => {
      for (let line = 0; line < 3; line++) log.info({ line }, 'delivery');
    });
  });
}
