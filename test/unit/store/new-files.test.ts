import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { PressmarkError } from '../../../src/errors.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { contentFolder } from '../../../src/store/catalog/entry.js';
import { openStore } from '../../../src/store/open-store.js';
import { article, SENT } from '../../support/events.js';
import { runs } from '../../support/property.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const OTHER_PROGRAM = fileURLToPath(new URL('other-program.js', import.meta.url));
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

/** Updates one article again and again, until it is told to stop. */
async function updateOften({ store }: Awaited<ReturnType<typeof openAt>>): Promise<() => Promise<number>> {
  const draft = draftOf(article());
  const { id, url, stored } = await store.publish(draft.id, async () => draft);
  let base = stored?.article.revision ?? '';
  let isOver = false;
  let count = 0;
  const updating = (async () => {
    while (!isOver) {
      const revision = `revision-${++count}`;
      const target = { targetId: id, targetUrl: url, base, revision };
      await store.update(target, async () => ({ updated: SENT, content: draft }));
      base = revision;
    }
    return count;
  })();
  return () => {
    isOver = true;
    return updating;
  };
}

test('each article that another program adds is found by the next lookup, while the store writes into the same folder', async (t) => {
  const opened = await openAt(t, tempDir(t));
  const stop = await updateOften(opened);
  const count = runs(150);
  const child = spawn(process.execPath, [OTHER_PROGRAM, opened.root, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: process.env,
  });
  const ended = once(child, 'exit');
  let found = 0;
  for await (const line of createInterface(child.stdout)) {
    const { article } = await opened.store.find(`https://garden.example/theirs/${line}/`);
    t.is(article.id, `theirs-${line}`);
    found++;
  }
  t.deepEqual(await ended, [0, null]);
  t.is(found, count);
  t.true((await stop()) > 0);
});

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
