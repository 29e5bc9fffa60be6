import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a redelivery after a restart opens no folder above the site, which may be a symbolic link', async (t) => {
  const faults = createFaults(t);
  const folder = tempDir(t);
  fs.mkdirSync(join(folder, 'release-1'));
  const dir = join(folder, 'current');
  fs.symlinkSync('release-1', dir);
  const first = await startReceiver(t, { ...faults.options, dir });
  const data = article();
  const { text } = await first.post('article.published', data);
  t.is(await first.stop(), 0);

  const { post } = await startReceiver(t, { ...faults.options, dir });
  faults.set({ call: 'open', path: `^${folder}$`, code: 'EACCES' });
  t.is((await post('article.published', data)).text, text);
});
