import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import { PressmarkError } from '../../../../src/errors.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import { contentFolder } from '../../../../src/store/catalog/entry.js';
import { openStore } from '../../../../src/store/open-store.js';
import { article, SENT } from '../../../support/events.js';
import { runs } from '../../../support/property.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const OTHER_PROGRAM = fileURLToPath(new URL('other-program.js', import.meta.url));
const log = pino({ level: 'silent' });
// All articles in one folder, which every write of the store changes.
const layout = patternLayout(SITE_URL, ':slug.md', '/:slug/');

interface Disposer {
  teardown(dispose: () => unknown): void;
}

async function openAt(t: Disposer, dir: string, watch: boolean) {
  const root = join(dir, 'content');
  const opened = await openStore({
    content: contentFolder(root, layout),
    stateDir: join(dir, '.pressmark'),
    log,
    watch,
  });
  t.teardown(opened.close);
  return { root, ...opened };
}

/** Updates one article again and again, until it is told to stop. */
async function updateOften({ store }: Awaited<ReturnType<typeof openAt>>): Promise<() => Promise<number>> {
  const draft = draftOf(article());
  const { id, url, stored } = await store.publish(draft);
  let base = stored?.article.revision ?? '';
  let isOver = false;
  let count = 0;
  const updating = (async () => {
    while (!isOver) {
      const revision = `revision-${++count}`;
      await store.update({ targetId: id, targetUrl: url, base, revision, updated: SENT, content: draft });
      base = revision;
    }
    return count;
  })();
  return () => {
    isOver = true;
    return updating;
  };
}

for (const watch of [true, false])
  test(`${watch ? 'with' : 'without'} a watcher, each article that another program adds is found by the next lookup, while the store writes into the same folder`, async (t) => {
    const opened = await openAt(t, tempDir(t), watch);
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

/** Counts the calls of node:fs that look at folders or files. */
function countCalls(t: Disposer): () => Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of ['opendirSync', 'readdirSync', 'statSync', 'lstatSync'] as const) {
    const real = fs[name];
    counts[name] = 0;
    const counting = (...args: unknown[]): unknown => {
      counts[name] = (counts[name] ?? 0) + 1;
      return Reflect.apply(real, fs, args);
    };
    Object.assign(fs, { [name]: counting });
    t.teardown(() => Object.assign(fs, { [name]: real }));
  }
  return () => ({ ...counts });
}

test.serial(
  'a lookup of an unknown URL after a write of our own lists no folder and asks the system no more, however many folders and files there are',
  async (t) => {
    const calls: Record<string, number>[] = [];
    for (const size of [1, 300]) {
      const dir = tempDir(t);
      for (let n = 0; n < size; n++) {
        fs.mkdirSync(join(dir, 'content', `folder-${n}`), { recursive: true });
        fs.writeFileSync(join(dir, 'content', `${n}.md`), `---\nid: "${n}"\n---\n`);
      }
      const { store } = await openAt(t, dir, true);
      const missing = () => t.throwsAsync(store.find(`${SITE_URL}/nothing/`), { instanceOf: PressmarkError });
      await missing();
      await store.publish(draftOf(article()));
      const count = countCalls(t);
      const before = count();
      await missing();
      const after = count();
      calls.push(
        Object.fromEntries(
          Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]),
        ),
      );
    }
    const [few, many] = calls;
    t.like(few, { opendirSync: 0, readdirSync: 0 });
    t.like(many, { opendirSync: 0, readdirSync: 0 });
    t.true(
      (many?.statSync ?? 0) <= (few?.statSync ?? 0) + 16,
      'those that changed a moment ago, 16 at the most',
    );
  },
);

test.serial('without a watcher, lookups at the same time share one listing', async (t) => {
  const { store } = await openAt(t, tempDir(t), false);
  await store.publish(draftOf(article()));
  const count = countCalls(t);
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => t.throwsAsync(store.find(`${SITE_URL}/nothing-${n}/`))),
  );
  const { opendirSync = 0 } = count();
  t.true(opendirSync >= 1 && opendirSync <= 4, `${opendirSync} listings`);
});
