import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createLock, takeKernelLock } from '../../../../src/fs/lock.js';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { contentFolder } from '../../../../src/store/catalog/content-folder.js';
import { recover } from '../../../../src/store/write/recover.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a receiver starts while others are too busy to let it have the lock, and leaves their temp files alone', async (t) => {
  const [root, stateDir] = [tempDir(t), tempDir(t)];
  const helper = findLockHelper();
  const temp = join(root, '.pressmark-0-1.tmp');
  fs.writeFileSync(temp, '');
  const start = (timeoutMs: number) => {
    const lock = createLock({ directory: stateDir, helper, timeoutMs });
    t.teardown(lock.close);
    return recover({
      content: contentFolder(root, patternLayout(SITE_URL, ':slug.md', '/:slug/')),
      catalog: createCatalog(),
      lock,
      log: pino({ level: 'silent' }),
      snapshotPath: join(stateDir, 'catalog.jsonl'),
      snapshotKey: '',
    });
  };
  const busy = await takeKernelLock(join(stateDir, 'lock'), helper, 20_000);
  t.is((await start(50)).tempFilesSwept, 0);
  t.true(fs.existsSync(temp));
  fs.closeSync(busy);
  t.is((await start(20_000)).tempFilesSwept, 1);
  t.false(fs.existsSync(temp));
});
