import '../../../support/recorded-syncs.js';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createKeepText, replacedFiles } from '../../../../src/git/commit/replaced-texts.js';
import { syncs } from '../../../support/recorded-syncs.js';
import { tempDir } from '../../../support/temp-dir.js';

test.serial(
  'a text that is kept is on the disk, with the folders that lead to it, and is one file',
  async (t) => {
    const stateDir = fs.realpathSync(tempDir(t));
    const keepText = createKeepText(stateDir, pino({ level: 'silent' }));
    const path = `content/${'ä'.repeat(123)}.md`; // as long as a name may be
    for (const when of ['at first', 'again']) {
      syncs.length = 0;
      await keepText(path, Buffer.from('my words\n'), 'git has failed');
      const [kept = '', ...more] = replacedFiles(stateDir, path);
      t.deepEqual(more, []);
      t.is(fs.readFileSync(join(stateDir, kept), 'utf8'), 'my words\n');
      const synced = syncs.map((one) => one.path);
      for (let folder = dirname(kept); ; folder = dirname(folder)) {
        t.true(synced.includes(join(stateDir, folder)), `${when}: ${folder}`);
        if (folder === '.') break;
      }
      if (when === 'at first') t.true(synced[0]?.endsWith('.tmp'), 'the text, before it gets its name');
    }
  },
);
