import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { patternLayout } from '../../../src/generators/layout.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { type OpenStoreOptions, openStore } from '../../../src/store/open-store.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a store that cannot be opened leaves neither its writer nor its lock open', async (t) => {
  const dir = tempDir(t);
  const root = join(dir, 'content');
  fs.writeFileSync(root, 'not a folder');
  const closed: string[] = [];
  const open = (openWriter: NonNullable<OpenStoreOptions['openWriter']>) =>
    openStore({
      content: contentFolder(root, patternLayout(SITE_URL, ':slug.md', '/:slug/')),
      stateDir: join(dir, '.pressmark'),
      log: pino({ level: 'silent' }),
      openWriter: (host) => {
        const { close } = host.lock;
        Object.assign(host.lock, {
          close: () => {
            closed.push('lock');
            close();
          },
        });
        return openWriter(host);
      },
    });
  const never = async () => {
    throw new Error('nothing is written');
  };
  const writer = {
    write: never,
    remove: never,
    ensure: never,
    epoch: 0,
    close: async () => void closed.push('writer'),
  };
  await t.throwsAsync(
    open(async () => writer),
    { code: 'EEXIST' },
  );
  t.deepEqual(closed, ['writer', 'lock']);
  await t.throwsAsync(open(never), { message: 'nothing is written' });
  t.deepEqual(closed, ['writer', 'lock', 'lock']);
});
