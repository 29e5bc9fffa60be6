import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import { PressmarkError } from '../../../../src/errors.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import { contentFolder } from '../../../../src/store/catalog/content-folder.js';
import { openArticles } from '../../../../src/store/open-articles.js';
import { article } from '../../../support/events.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, ':slug.md', '/:slug/');
const draft = draftOf(article({ slug: 'hive' }));

/** A store whose files are committed before they are acknowledged, as far as `commit` allows, and what it has done. */
async function open(t: ExecutionContext, dir = tempDir(t)) {
  const root = join(dir, 'content');
  const committing = { fails: false, whileReplacing: (_file: string): void => undefined };
  const committed: string[] = [];
  const ensured: string[] = [];
  const { store, close } = await openArticles({
    content: contentFolder(root, layout),
    stateDir: join(dir, '.pressmark'),
    log: pino({ level: 'silent' }),
    watch: false,
    openWriter: async ({ disk }) => ({
      ...disk,
      ensure: (entry) => {
        ensured.push(entry.path);
        return disk.ensure(entry);
      },
      beforeReplace: async ({ path }) => committing.whileReplacing(join(root, path)),
      afterWrite: async ({ path }) => {
        if (committing.fails) throw new PressmarkError('COMMIT_FAILED', 'git does not work');
        committed.push(path);
      },
    }),
  });
  t.teardown(close);
  const publish = () => store.publish(draft.id, async () => draft);
  const file = join(root, 'hive.md');
  return { dir, file, store, committing, committed, ensured, publish, close };
}

test('an article that a person has broken is known after a restart, and its file is left to them to commit', async (t) => {
  const first = await open(t);
  const { url } = await first.publish();
  await first.close();
  const text = fs.readFileSync(first.file, 'utf8');
  const broken = text.replace(/^title: .*/m, 'title: [');
  fs.writeFileSync(first.file, broken);
  const { publish, committed } = await open(t, first.dir);
  t.deepEqual(await publish(), { outcome: 'known', id: draft.id, url });
  t.deepEqual(committed, []);
  t.is(fs.readFileSync(first.file, 'utf8'), broken);
  fs.writeFileSync(first.file, text);
  t.is((await publish()).outcome, 'known');
  t.deepEqual(committed, ['hive.md'], 'once it can be read again');
});

test('an article without a commit that a person has edited is made durable by one redelivery, not by each', async (t) => {
  const { file, committing, committed, ensured, publish } = await open(t);
  committing.fails = true;
  await t.throwsAsync(publish(), { code: 'COMMIT_FAILED' });
  fs.appendFileSync(file, 'my words\n');
  t.is((await publish()).outcome, 'known');
  t.is((await publish()).outcome, 'known');
  t.deepEqual([ensured, committed], [['hive.md'], []]);
});

test.serial('the error of a failed write is not replaced by that of reading its file', async (t) => {
  const { committing, publish } = await open(t);
  committing.fails = true;
  const { openSync } = fs;
  const restore = () => Object.assign(fs, { openSync });
  t.teardown(restore);
  Object.assign(fs, {
    openSync: (...args: Parameters<typeof openSync>) => {
      if (String(args[0]).endsWith('hive.md')) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      return openSync(...args);
    },
  });
  await t.throwsAsync(publish(), { code: 'COMMIT_FAILED' });
  restore();
  committing.fails = false;
  t.is((await publish()).outcome, 'stored', 'the file is found');
});

test('an update whose file a person renames at this moment replaces it under its new name', async (t) => {
  const { file, store, committing, publish } = await open(t);
  const { id, url } = await publish();
  const base = (await store.find(url)).article.revision;
  const moved = file.replace('hive', 'moved');
  committing.whileReplacing = (at) => {
    if (at !== file) return;
    fs.renameSync(file, moved);
    fs.readFileSync(file);
  };
  const target = { targetId: id, targetUrl: url, base, revision: 'r2' };
  const updated = await store.update(target, async () => ({ updated: '', content: draft }));
  t.is(updated.file?.path, 'moved.md');
  t.is((await store.find(url)).article.revision, 'r2');
});

test('a start leaves the temp files that another receiver of the folder may be writing', async (t) => {
  const dir = tempDir(t);
  const state = join(dir, '.pressmark');
  fs.mkdirSync(state);
  const [young, old] = ['.pressmark-a-1.tmp', '.pressmark-b-1.tmp'];
  for (const name of [young, old]) fs.writeFileSync(join(state, name), '');
  fs.utimesSync(join(state, old), 0, 0);
  await open(t, dir);
  t.deepEqual(
    fs.readdirSync(state).filter((name) => name.endsWith('.tmp')),
    [young],
  );
});
