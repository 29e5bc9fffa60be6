import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { PressmarkError } from '../../../src/errors.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { openStore } from '../../../src/store/open-store.js';
import { article } from '../../support/events.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const log = pino({ level: 'silent' });
// All articles in one folder, which every write of the store changes.
const layout = patternLayout(SITE_URL, ':slug.md', '/:slug/');

interface Disposer {
  teardown(dispose: () => unknown): void;
}

async function openAt(t: Disposer, dir: string) {
  const root = join(dir, 'content');
  const opened = await openStore({
    content: contentFolder(root, layout),
    stateDir: join(dir, '.pressmark'),
    log,
    watch: false,
  });
  t.teardown(opened.close);
  return { root, ...opened };
}

test.serial('lookups that find nothing share a look at the folder, and others list none', async (t) => {
  const { store, root } = await openAt(t, tempDir(t));
  const draft = draftOf(article());
  const { url } = await store.publish(draft.id, async () => draft);
  let listings = 0;
  const { readdirSync } = fs;
  const counting = (...args: unknown[]): unknown => {
    if (String(args[0]).startsWith(root)) listings++;
    return Reflect.apply(readdirSync, fs, args);
  };
  Object.assign(fs, { readdirSync: counting });
  t.teardown(() => Object.assign(fs, { readdirSync }));
  await store.find(url);
  await store.publish('another', async () => draftOf(article({ id: 'another' })));
  t.is(listings, 0);
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      t.throwsAsync(store.find(`${SITE_URL}/nothing-${n}/`), { instanceOf: PressmarkError }),
    ),
  );
  t.true(listings >= 1 && listings <= 2, `${listings} listings`);
});
