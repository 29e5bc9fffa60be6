import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { plainFormat } from '../../../src/article/format/plain.js';
import type { Address } from '../../../src/article/stored-article.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { openArticles } from '../../../src/store/open-articles.js';
import { article } from '../../support/events.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, ':slug.md', '/:slug/');
const URL = layout.url('soil', '');

/** A store with one article, whose file does not pin its URL, and how often it was read. */
async function openWith(t: ExecutionContext, addresses: { address: Address | undefined }) {
  const dir = tempDir(t);
  const root = join(dir, 'content');
  fs.mkdirSync(root);
  fs.writeFileSync(join(root, 'soil.md'), '---\ntitle: Soil\n---\nFeed it.\n');
  const plain = plainFormat(layout.url);
  let reads = 0;
  const decode: typeof plain.decode = (text, path) => {
    reads++;
    const { address } = addresses;
    return { ...plain.decode(text, path), ...(address !== undefined && { address }) };
  };
  const format = { ...plain, hasCertainUrls: false, decode };
  const opened = await openArticles({
    content: contentFolder(root, layout, format),
    stateDir: join(dir, '.pressmark'),
    log: pino({ level: 'silent' }),
    watch: false,
  });
  t.teardown(opened.close);
  return { store: opened.store, root, reads: () => reads };
}

test('a lookup of a URL that is not listed does not read a file again that has not changed', async (t) => {
  const { store, reads } = await openWith(t, { address: { kind: 'unknown', reason: 'has no listed URL' } });
  const before = reads();
  await t.throwsAsync(store.find(URL), { message: /has no listed URL/ });
  t.is(reads(), before);
});

test('an article that is sent again while a person moves its file is not stored a second time', async (t) => {
  const { store, root } = await openWith(t, { address: undefined });
  const draft = draftOf(article({ slug: 'hive' }));
  const { url } = await store.publish(draft.id, async () => draft);
  fs.renameSync(join(root, 'hive.md'), join(root, 'moved.md'));
  store.readAgain(['hive.md']); // the watcher knows that the old name is gone, and nothing of the new one yet
  const again = await store.publish(draft.id, async () => draft);
  t.is(again.outcome, 'known');
  t.is(again.url, url);
  t.deepEqual(fs.readdirSync(root).sort(), ['moved.md', 'soil.md']);
});

test('an article whose jobs cannot be noted is not stored', async (t) => {
  const { store, root } = await openWith(t, { address: undefined });
  const draft = draftOf(article({ slug: 'hive' }));
  const publish = store.publish(draft.id, async (waitFor) => {
    waitFor(Promise.reject(new Error('the note is not on the disk')));
    return draft;
  });
  await t.throwsAsync(publish, { code: 'STORE_FAILED' });
  t.deepEqual(fs.readdirSync(root), ['soil.md']);
});
