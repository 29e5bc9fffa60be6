import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import { encodeFirst } from '../../../../src/article/codec.js';
import { PressmarkError } from '../../../../src/errors.js';
import { DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK, patternLayout } from '../../../../src/generators/layout.js';
import { contentFolder } from '../../../../src/store/catalog/entry.js';
import { openStore } from '../../../../src/store/open-store.js';
import { article, SENT } from '../../../support/events.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK);
const log = pino({ level: 'silent' });

/** A store whose watcher says only what a test has it say. */
async function openAt(t: { teardown(dispose: () => unknown): void }, dir: string) {
  const root = join(dir, 'content');
  const opened = await openStore({
    content: contentFolder(root, layout),
    stateDir: join(dir, '.pressmark'),
    log,
    watch: false,
  });
  t.teardown(opened.close);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'fine',
      (error: unknown) => (error instanceof PressmarkError ? error.code : String(error)),
    );
  return { root, store: opened.store, codeOf };
}

/** Where a copy may stand when it is seen: empty, before its URL, after it, in the last block. */
const HALVES = {
  'while it is empty': () => 0,
  'before its id': (text: string) => text.indexOf('\nid:'),
  'before its URL': (text: string) => text.indexOf('\nurl:'),
  'in the middle of its URL': (text: string) => text.indexOf('\nurl:') + 20,
  'without its end': (text: string) => text.length - 30,
};

for (const [when, endOf] of Object.entries(HALVES))
  test(`a copy that was seen ${when} is known whole by the next lookup or update`, async (t) => {
    const { root, store, codeOf } = await openAt(t, tempDir(t));
    const { stored, url, id } = await store.publish(draftOf(article()));
    const { path = '', text = '', article: first } = stored ?? {};
    const request = {
      targetId: id,
      targetUrl: url,
      base: first?.revision ?? '',
      revision: 'r2',
      updated: SENT,
      content: draftOf(article({ id })),
    };
    const asks = { lookup: () => store.find(url), update: () => store.update(request) };
    for (const [name, ask] of Object.entries(asks)) {
      const copy = join(dirname(path), `copy-${name}.md`);
      fs.writeFileSync(join(root, copy), text.slice(0, endOf(text)));
      store.look([copy]);
      fs.writeFileSync(join(root, copy), text);
      t.is(await codeOf(ask()), 'ARTICLE_AMBIGUOUS', name);
      fs.unlinkSync(join(root, copy));
    }
    t.is(await codeOf(store.update(request)), 'fine');
  });

test('a copy that the lookup itself has seen half written is known whole by the next', async (t) => {
  const { root, store, codeOf } = await openAt(t, tempDir(t));
  const { stored, url } = await store.publish(draftOf(article()));
  const { path = '', text = '' } = stored ?? {};
  const copy = join(root, dirname(path), 'copy.md');
  fs.writeFileSync(copy, text.slice(0, 40));
  t.is(await codeOf(store.find(url)), 'fine');
  fs.writeFileSync(copy, text);
  t.is(await codeOf(store.find(url)), 'ARTICLE_AMBIGUOUS');
});

test('an article whose file was seen half written is not published a second time', async (t) => {
  const { root, store } = await openAt(t, tempDir(t));
  const draft = draftOf(article({ id: 'theirs' }));
  const url = layout.url('theirs', SENT);
  const { text } = encodeFirst({ ...draft, slug: 'theirs', url, updated: null });
  fs.writeFileSync(join(root, 'theirs.md'), text.slice(0, 40));
  store.look(['theirs.md']);
  fs.writeFileSync(join(root, 'theirs.md'), text);
  t.like(await store.publish(draft), { outcome: 'known', id: 'theirs', url });
});

test('a copy that the start has seen half written is known whole by the first lookup', async (t) => {
  const dir = tempDir(t);
  const before = await openAt(t, dir);
  const { stored, url } = await before.store.publish(draftOf(article()));
  const { path = '', text = '' } = stored ?? {};
  const copy = join(before.root, dirname(path), 'copy.md');
  fs.writeFileSync(copy, text.slice(0, 40));
  const { store, codeOf } = await openAt(t, dir);
  fs.writeFileSync(copy, text);
  t.is(await codeOf(store.find(url)), 'ARTICLE_AMBIGUOUS');
});
