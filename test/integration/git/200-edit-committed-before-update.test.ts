import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { ALL, siteWithArticle } from '../../support/edited-site.js';
import { until } from '../../support/until.js';

test('200: an edit that an update replaces is committed before it, by itself and once', async (t) => {
  const { dir, receiver, file, edit, subjects } = await siteWithArticle(t, 'commit');
  const { text, request } = await edit(receiver, 'my words, “quoted”\r\nand no line end');
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
  const path = file.slice(dir.length + 1);
  t.is(gitIn(dir, 'show', `HEAD^:${path}`), text);
  t.is(gitIn(dir, 'show', `HEAD:${path}`), fs.readFileSync(file, 'utf8'));
  t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
  t.is((await receiver.post('article.updated', request)).status, 200, 'a retry');

  // one that is in HEAD already needs no commit of ours
  const second = await edit(receiver, 'more words\n');
  gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
  t.is((await receiver.post('article.updated', second.request)).status, 200);
  // what the watcher has seen has had its two seconds by the time of the stop
  await receiver.stop();
  t.deepEqual(subjects().slice(3), ['My own commit', ALL[2] ?? '']);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test('200: an edit that is no UTF-8 is committed byte for byte', async (t) => {
  const { dir, receiver, file, edit, subjects } = await siteWithArticle(t, 'commit');
  fs.appendFileSync(file, Buffer.from('caf\xe9 ', 'latin1'));
  const { request } = await edit(receiver, 'noir\n');
  const bytes = fs.readFileSync(file);
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
  const path = file.slice(dir.length + 1);
  t.is(
    gitIn(dir, 'rev-parse', `HEAD^:${path}`),
    execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }),
  );
});

test('503: where an edit cannot be committed, it stays, and nothing of the update is stored', async (t) => {
  const { git, receiver, file, edit, subjects } = await siteWithArticle(t, 'commit');
  const { text, request } = await edit(receiver, 'my words\n');
  git.set('fail', 'fast-import');
  t.is((await receiver.post('article.updated', request)).status, 503);
  t.is(fs.readFileSync(file, 'utf8'), text);
  git.mend();
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
});

for (const [what, command, times] of [
  ['killed-before', 'fast-import', 1],
  ['killed-before', 'update-ref', 1],
  ['killed-after', 'update-ref', 1],
  ['killed-before', 'fast-import', 2],
  ['killed-before', 'update-ref', 2],
] as const)
  test(`200: ${what.replace('-', ' ')} git ${command}, number ${times}: the retry leaves one Edit and one Update`, async (t) => {
    const { dir, git, start, receiver, file, edit, subjects } = await siteWithArticle(t, 'commit');
    const { text, request } = await edit(receiver, 'my words\n');
    git.set(what, command, times);
    await t.throwsAsync(receiver.post('article.updated', request));
    const again = await start();
    t.is((await again.post('article.updated', request)).status, 200);
    await again.stop();
    t.deepEqual(subjects(), ALL);
    t.is(gitIn(dir, 'show', `HEAD^:${file.slice(dir.length + 1)}`), text);
    t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
  });

test('200: while HEAD is detached, the edit is parked before the update', async (t) => {
  const { dir, receiver, edit, subjects } = await siteWithArticle(t, 'commit');
  gitIn(dir, 'checkout', '--quiet', '--detach');
  const { request } = await edit(receiver, 'my words\n');
  t.is((await receiver.post('article.updated', request)).status, 200);
  gitIn(dir, 'checkout', '--quiet', 'main');
  await until(() => subjects().length === 3);
  t.deepEqual(subjects(), ALL);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test('an edit that its owner has staged is theirs, also when an update replaces it', async (t) => {
  const { dir, receiver, edit, subjects } = await siteWithArticle(t, 'commit');
  const { text, request } = await edit(receiver, 'my words\n');
  gitIn(dir, 'add', 'content');
  t.is((await receiver.post('article.updated', request)).status, 200);
  await receiver.stop();
  t.deepEqual(subjects(), [ALL[0] ?? '', ALL[2] ?? '']);
  const [name = ''] = gitIn(dir, 'diff', '--cached', '--name-only').trim().split('\n');
  t.is(gitIn(dir, 'show', `:${name}`), text);
  const left = filesIn(join(dir, '.pressmark', 'left-edits'));
  t.deepEqual(
    left.map((path) => fs.readFileSync(path, 'utf8')),
    [text],
  );
  t.deepEqual(filesIn(join(dir, '.pressmark', 'replaced')), []);
});

/** The files of a folder that may not be there. */
function filesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];
}
