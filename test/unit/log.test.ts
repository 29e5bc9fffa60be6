import fs from 'node:fs';
import { createLog } from '../../src/log.js';
import { FULL, onLinux } from '../support/full-disk.js';

for (const terminal of [false, true]) {
  onLinux(`a log on a full disk loses its lines and harms nobody, terminal: ${terminal}`, (t) => {
    const log = createLog({ level: 'info', terminal, fd: fs.openSync(FULL, 'w') });
    t.notThrows(() => {
      for (let line = 0; line < 3; line++) log.info({ line }, 'delivery');
    });
  });
}
