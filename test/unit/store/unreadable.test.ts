import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { PressmarkError } from '../../../src/errors.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { scan } from '../../../src/store/catalog/scan.js';
import { openArticles } from '../../../src/store/open-articles.js';
import { article } from '../../support/events.js';
import { encode } from '../../support/plain-files.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, 'articles/:year/:month/:slug.md', '/articles/:slug/');

/** A content folder with the articles `bad` and `good`. */
function twoArticles(t: ExecutionContext) {
  const root = tempDir(t);
  for (const id of ['bad', 'good']) {
    const url = layout.url(id, '');
    const { text } = encode({ ...draftOf(article({ id })), slug: id, url, updated: null });
    fs.writeFileSync(join(root, `${id}.md`), text);
  }
  return contentFolder(root, layout);
}

type Call = 'openSync' | 'readFileSync';

/** Has a call fail for `bad.md` until the function that it returns is called. */
function failing(t: ExecutionContext, call: Call, code: string): () => void {
  const [real, openSync] = [fs[call], fs.openSync];
  let bad: number | undefined;
  const opened = (...args: Parameters<typeof openSync>) => {
    const fd = openSync(...args);
    if (String(args[0]).endsWith('bad.md')) bad = fd;
    else if (fd === bad) bad = undefined; // it was closed, and its number is used again
    return fd;
  };
  const fail = (...args: unknown[]) => {
    if (String(args[0]).endsWith('bad.md') || (call !== 'openSync' && args[0] === bad))
      throw Object.assign(new Error(`${code}: it failed, ${call} '/somewhere/bad.md'`), { code });
    return Reflect.apply(real, fs, args);
  };
  Object.assign(fs, { openSync: opened, [call]: fail });
  const heal = () => void Object.assign(fs, { openSync, [call]: real });
  t.teardown(heal);
  return heal;
}

const FAILURES: readonly (readonly [Call, string])[] = [
  ['openSync', 'EACCES'],
  ['readFileSync', 'ERR_STRING_TOO_LONG'],
];

for (const [call, code] of FAILURES)
  test.serial(
    `an article that cannot be read, ${call} fails with ${code}, keeps no other from being read`,
    async (t) => {
      const content = twoArticles(t);
      const heal = failing(t, call, code);
      const catalog = createCatalog();
      t.is((await scan(content, catalog)).files, 2);
      t.is(catalog.get('good.md')?.id, 'good');
      t.is(catalog.get('bad.md')?.broken, `${code}: it failed`, 'without a path of the machine');
      t.is(catalog.byUrl(`${SITE_URL}/articles/bad`).length, 1, 'its URL stays taken');
      t.deepEqual((await scan(content, catalog)).changes, [], 'it is reported once');

      heal();
      t.is((await scan(content, catalog)).changes.length, 1, 'though the file is as it was');
      t.is(catalog.get('bad.md')?.id, 'bad');
      t.is(catalog.get('bad.md')?.broken, undefined);
    },
  );

test.serial(
  'an article whose thread fails keeps its id and no other from being read, and is read again',
  async (t) => {
    const content = twoArticles(t);
    const message = 'an article could not be processed: that took longer than 10 s';
    let isSlow = true;
    const entry: typeof content.codec.entry = async (path, ...args) => {
      if (isSlow && path === 'bad.md') throw new PressmarkError('STORE_FAILED', message);
      return content.codec.entry(path, ...args);
    };
    const slow = { ...content, codec: { ...content.codec, entry } };
    const catalog = createCatalog();
    const compare = async () => (await scan(slow, catalog, new Map())).changes;
    t.is((await compare()).length, 2);
    t.is(catalog.get('good.md')?.broken, undefined);
    t.like(catalog.byId('bad')[0], { path: 'bad.md', broken: message });
    t.deepEqual(await compare(), [], 'it is reported once');
    isSlow = false;
    t.is((await compare()).length, 1);
    t.is(catalog.get('bad.md')?.broken, undefined);
  },
);

test.serial('an article whose file cannot be read is not acknowledged, and not stored twice', async (t) => {
  const content = twoArticles(t);
  const log = pino({ level: 'silent' });
  const { store, close } = await openArticles({ content, stateDir: tempDir(t), log, watch: false });
  fs.utimesSync(join(content.root, 'bad.md'), 1, 1); // it is to be read again
  const heal = failing(t, 'openSync', 'EACCES');
  const publish = () => store.publish('bad', async () => draftOf(article({ id: 'bad' })));
  await t.throwsAsync(publish, { code: 'STORE_FAILED' });
  await t.throwsAsync(store.find(layout.url('bad', '')), {
    code: 'STORE_FAILED',
    message: 'the file bad.md cannot be read (EACCES); nothing was changed, send it again',
  });
  heal();
  t.is((await publish()).outcome, 'known');
  t.deepEqual(fs.readdirSync(content.root).sort(), ['bad.md', 'good.md']);
  await close();
});

test.serial('a delivery that a file in the place of a folder keeps out says so', async (t) => {
  const content = twoArticles(t);
  fs.writeFileSync(join(content.root, 'articles'), '');
  const log = pino({ level: 'silent' });
  const { store, close } = await openArticles({ content, stateDir: tempDir(t), log, watch: false });
  await t.throwsAsync(
    store.publish('new', async () => draftOf(article({ id: 'new' }))),
    { message: /^not stored: a file has the name of the article’s folder, .* \(ENOTDIR\)/ },
  );
  await close();
});

test.serial('a process that can read no file takes none for unreadable', async (t) => {
  const content = twoArticles(t);
  failing(t, 'openSync', 'EMFILE');
  await t.throwsAsync(scan(content, createCatalog()), { message: /^EMFILE/ });
});

test.serial(
  'a folder that cannot be read ends no start, fails no delivery, and is named by the log',
  async (t) => {
    const content = twoArticles(t);
    fs.mkdirSync(join(content.root, 'lost+found'));
    const { readdirSync, statSync } = fs;
    const refuse = (path: unknown, call: string) => {
      if (!/lost\+found/.test(String(path))) return;
      throw Object.assign(new Error(`EACCES: permission denied, ${call} '/somewhere'`), { code: 'EACCES' });
    };
    Object.assign(fs, {
      readdirSync: (...args: unknown[]) => {
        refuse(args[0], 'scandir');
        return Reflect.apply(readdirSync, fs, args);
      },
      statSync: (...args: unknown[]) => {
        if (String(args[0]).includes('lost+found/')) refuse(args[0], 'stat');
        return Reflect.apply(statSync, fs, args);
      },
    });
    t.teardown(() => Object.assign(fs, { readdirSync, statSync }));
    const lines: { level: number; folder?: string; reason?: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const { store, recovery, close } = await openArticles({
      content,
      stateDir: tempDir(t),
      log,
      watch: false,
    });
    t.is(recovery.files, 2);
    t.like(lines[0], { level: 40, folder: 'lost+found', reason: 'EACCES: permission denied' });
    const { outcome, url } = await store.publish('new', async () => draftOf(article({ id: 'new' })));
    t.is(outcome, 'stored');
    t.is((await store.find(url)).article.id, 'new');
    await t.throwsAsync(store.find(`${SITE_URL}/articles/nothing/`), { code: 'ARTICLE_NOT_FOUND' });
    await close();
  },
);
