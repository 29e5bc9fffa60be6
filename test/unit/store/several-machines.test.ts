import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { PressmarkError } from '../../../src/errors.js';
import { fingerprintOf } from '../../../src/fs/fingerprint.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { openArticles, type WriterHost } from '../../../src/store/open-articles.js';
import type { Removal, SharedWriter, Write } from '../../../src/store/write/article-files.js';
import { Outdated } from '../../../src/store/write/failures.js';
import { article, SENT } from '../../support/events.js';
import { amend, decode, encode } from '../../support/plain-files.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, 'articles/:year/:month/:slug.md', '/articles/:slug/');
const path = layout.path('hive', SENT);

/** A store whose writer does what `before` says before each write, such as another machine's write. */
async function open(
  t: ExecutionContext,
  before: (write: Write | Removal) => unknown,
  onChange?: (change: unknown) => void,
) {
  const dir = tempDir(t);
  const root = join(dir, 'content');
  let epoch = 0;
  let host: WriterHost | undefined;
  const put = (at: string, text: string) => {
    fs.mkdirSync(dirname(join(root, at)), { recursive: true });
    fs.writeFileSync(join(root, at), text);
  };
  const others = async (at: string, text: string) => {
    put(at, text);
    await host?.readAgain([at]);
    epoch++;
  };
  const writer: SharedWriter = {
    write: async (write) => {
      await undefined; // never within the call
      await before(write);
      if (write.epoch !== epoch) throw new Outdated('another machine was first');
      put(write.path, write.text);
      return fingerprintOf(fs.statSync(write.target));
    },
    remove: async (removal) => {
      await undefined; // never within the call
      await before(removal);
      if (removal.epoch !== epoch) throw new Outdated('another machine was first');
      fs.unlinkSync(removal.target);
    },
    ensure: async ({ fingerprint }) => fingerprint,
    catchUp: async () => undefined,
    get epoch() {
      return epoch;
    },
  };
  const { store, catalog, close } = await openArticles({
    content: contentFolder(root, layout),
    stateDir: join(dir, '.pressmark'),
    log: pino({ level: 'silent' }),
    watch: false,
    ...(onChange && { onChange }),
    openWriter: async (given) => {
      host = given;
      return writer;
    },
  });
  t.teardown(close);
  const publish = (id: string) => store.publish(id, async () => draftOf(article({ id, slug: 'hive' })));
  const update = async (base: string) => {
    const target = { targetId: 'a', targetUrl: layout.url('hive', SENT), base, revision: 'mine' };
    return store.update(target, async () => ({ updated: SENT, content: draftOf(article({ id: 'a' })) }));
  };
  return { root, others, put, publish, update, catalog, store };
}

/** The file as another machine's update has left it. */
function updated(text: string): string {
  const { article: stored } = decode(text);
  return amend(text, { ...stored, revision: 'theirs', updated: SENT }).text;
}

test('what another machine has stored under the name of a write under way is known before that write ends', async (t) => {
  let known: number | undefined;
  const { others, publish, catalog } = await open(t, async () => {
    if (known !== undefined) return;
    const url = layout.url('hive', SENT);
    const theirs = draftOf(article({ id: 'theirs', slug: 'hive' }));
    await others(path, encode({ ...theirs, url, updated: null }).text);
    known = catalog.byId('theirs').length;
  });
  t.is((await publish('mine')).url, `${SITE_URL}/articles/hive-2/`);
  t.is(known, 1);
});

test('an update that may have been stored and replaced since is not refused as if it had never been', async (t) => {
  const silence = new PressmarkError('REMOTE_UNAVAILABLE', 'the git remote did not answer');
  let isUpdate = false;
  const { others, publish, update } = await open(t, async (write) => {
    if (!isUpdate || !('text' in write)) return;
    // The push had landed, and another machine has gone on from there.
    await others(path, updated(write.text));
    throw new Outdated('another machine was first', { cause: silence });
  });
  const { file } = await publish('a');
  isUpdate = true;
  t.is(await t.throwsAsync(update(file?.article.revision ?? '')), silence);
});

for (const [how, failure] of [
  ['time was up', (silence: PressmarkError) => silence],
  ['push had landed', (cause: PressmarkError) => new Outdated('another machine was first', { cause })],
] as const)
  test(`what was stored although the ${how} counts as stored by the delivery that is answered, also after a lookup`, async (t) => {
    const silence = new PressmarkError('REMOTE_UNAVAILABLE', 'the git remote did not answer');
    let isUnclear = true;
    const { others, publish, update, store } = await open(t, async (write) => {
      if (!isUnclear || !('text' in write)) return;
      isUnclear = false;
      await others(path, write.text);
      throw failure(silence);
    });
    const again = async <T>(deliver: () => Promise<T>): Promise<T> => {
      isUnclear = true;
      if (how === 'push had landed') return deliver();
      t.is(await t.throwsAsync(deliver()), silence);
      await store.find(layout.url('hive', SENT));
      return deliver();
    };
    const published = await again(() => publish('a'));
    t.is(published.outcome, 'stored');
    t.like(await publish('a'), { outcome: 'known', url: published.url });
    const base = published.file?.article.revision ?? '';
    const updated = await again(() => update(base));
    t.like(updated, { outcome: 'stored', file: { article: { revision: 'mine' } } });
    t.is((await update(base)).outcome, 'retry');
  });

test('a removal decides again where another machine was first', async (t) => {
  let theirs = 0;
  const { root, others, publish, store } = await open(t, async (write) => {
    if ('text' in write || theirs++ > 0) return;
    await others(path, updated(fs.readFileSync(join(root, path), 'utf8')));
  });
  await publish('a');
  const seen: string[] = [];
  await store.remove('a', async ({ stored }) => void seen.push(stored.article.revision));
  t.is(seen.length, 2);
  t.is(seen[1], 'theirs');
  t.false(fs.existsSync(join(root, path)));
});

test('a removal is done where its own push had landed', async (t) => {
  const { root, publish, store } = await open(t, async (write) => {
    if ('text' in write) return;
    fs.unlinkSync(write.target);
    throw new Outdated('another machine was first', { cause: new Error('silence') });
  });
  await publish('a');
  t.is((await store.remove('a', async () => undefined)).path, path);
  t.false(fs.existsSync(join(root, path)));
});

test('a removal that is under way is nobody else’s', async (t) => {
  const changes: unknown[] = [];
  const looks: Promise<void>[] = [];
  const { publish, store } = await open(
    t,
    (write) => {
      if ('text' in write) return;
      fs.unlinkSync(write.target);
      looks.push(store.readAgain([path])); // as the watcher does
      fs.writeFileSync(write.target, '');
    },
    (change) => changes.push(change),
  );
  await publish('a');
  await store.remove('a', async () => undefined);
  await Promise.all(looks);
  t.deepEqual(changes, []);
});
