import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a snapshot that a kill cut off is swept at the next start', async (t) => {
  const dir = tempDir(t);
  const first = await startReceiver(t, { dir });
  await first.kill('SIGKILL');
  fs.writeFileSync(join(dir, '.pressmark/.pressmark-0123456789abcdef.tmp'), 'half a snap');
  const second = await startReceiver(t, { dir });
  t.deepEqual(
    fs.readdirSync(join(dir, '.pressmark')).filter((name) => name.endsWith('.tmp')),
    [],
  );
  t.is(await second.stop(), 0);
});
