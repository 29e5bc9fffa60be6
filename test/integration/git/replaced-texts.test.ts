import fs from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { KeepReplaced } from '../../../src/git/pending/keeping.js';
import { createSavedTexts } from '../../../src/git/pending/saved-texts.js';
import { environment, GIT, makeSite, type Site, siteAt, withHeldGit } from './site.js';

const OPTIONS = { commitEdits: true };

/** A site with one committed article, which a person has edited since; nothing runs. */
async function editedSite(t: Parameters<typeof makeSite>[0], options: { path?: string } = {}) {
  const site = await makeSite(t);
  await site.start(OPTIONS);
  const path = await site.publish('one', {}, options);
  await site.untilCommitted(1);
  await site.stop();
  await appendFile(join(site.dir, path), 'my words\n');
  return { site, path, text: await site.read(path) };
}

function folder(site: Site, name: 'replaced' | 'left-edits' | '../staging'): string[] {
  const path = join(site.top, '..', 'state', name);
  return fs.existsSync(path) ? fs.readdirSync(path) : [];
}

/** Keeps what a file holds as a receiver does just before it is killed. */
async function keep(site: Site, path: string): Promise<void> {
  const root = join(site.top, '..');
  const saved = createSavedTexts(join(root, 'state'), join(root, 'staging'), pino({ level: 'silent' }));
  const before = (await site.git('rev-parse', 'HEAD')).trim();
  await saved.keep({ path, before, bytes: fs.readFileSync(join(site.dir, path)) });
}

const untilSettled = (site: Site) =>
  site.until('no replaced text is kept any more', () => folder(site, 'replaced').length === 0);

async function startAndSettle(site: Site, options = OPTIONS): Promise<void> {
  const host = await site.start(options);
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilLogged('articles compared with the branch');
  await untilSettled(site);
  await host.close();
  site.log.length = 0;
}

const committed = async (site: Site) => (await site.subjects()).slice(2);

/** On a busy machine a host is left behind while it still commits. */
async function assertCommitted(t: ExecutionContext, site: Site, subjects: readonly string[]): Promise<void> {
  const count = subjects.length;
  await site.until(`there are ${count} commits`, async () => (await committed(site)).length >= count);
  t.deepEqual(await committed(site), subjects);
}

test('killed before the update was stored: the edit is still in its file, and gets one commit', async (t) => {
  const { site, path, text } = await editedSite(t);
  await keep(site, path);
  await startAndSettle(site);
  await assertCommitted(t, site, ['Edit: Title of one']);
  t.is(await site.git('show', `HEAD:${path}`), text);
});

test('killed before the update was stored: the publication is still in its file, and gets one commit as such', async (t) => {
  const site = await makeSite(t);
  const path = await site.publish('one');
  await keep(site, path);
  await startAndSettle(site);
  await site.until('the publication is committed', async () => (await site.subjects()).length > 1);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
});

test('killed after its commit: an edit is not committed again', async (t) => {
  const { site, path } = await editedSite(t);
  await startAndSettle(site);
  await keep(site, path);
  await startAndSettle(site);
  await keep(site, path);
  await site.update('one', { revision: 'r2' });
  await startAndSettle(site);
  await assertCommitted(t, site, ['Edit: Title of one', 'Update: Title of one']);
  t.deepEqual(folder(site, 'left-edits'), []);
});

test('two edits that two updates have replaced come in their order', async (t) => {
  const { site, path, text } = await editedSite(t);
  await keep(site, path);
  await site.update('one', { revision: 'r2', title: 'Second' });
  await appendFile(join(site.dir, path), 'other words\n');
  const second = await site.read(path);
  await keep(site, path);
  await site.update('one', { revision: 'r3', title: 'Third' });
  await startAndSettle(site);
  await assertCommitted(t, site, ['Edit: Title of one', 'Edit: Second', 'Update: Third']);
  t.is(await site.git('show', `HEAD~2:${path}`), text);
  t.is(await site.git('show', `HEAD^:${path}`), second);
});

test('an update that comes in while the start-up check is at its file has its edit committed before it', async (t) => {
  const { site, path, text } = await editedSite(t);
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'check-ignore');
  await hold();
  const host = await site.start({ ...OPTIONS, env });
  await host.hooks.doAction('host.ready', { url: '' });
  await untilHeld();
  await site.update('one', { revision: 'r2' });
  await release();
  await untilSettled(site);
  await host.close();
  await assertCommitted(t, site, ['Edit: Title of one', 'Update: Title of one']);
  t.is(await site.git('show', `HEAD^:${path}`), text);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a receiver that starts while another is about to commit an edit does not commit it twice', async (t) => {
  const { site } = await editedSite(t);
  const host = await site.start({ ...OPTIONS, indexWaitMs: 60_000 });
  const lock = join(site.top, '.git', 'index.lock');
  fs.writeFileSync(lock, '');
  await site.update('one', { revision: 'r2' });
  t.is(folder(site, 'replaced').length, 1);
  const other = siteAt(t.log, site.top, site.dir, environment(join(site.top, '..', 'home')));
  const second = await other.start({ ...OPTIONS, articles: site.articleFiles });
  await second.hooks.doAction('host.ready', { url: '' });
  await other.untilLogged('articles compared with the branch');
  await rm(lock);
  await untilSettled(site);
  await host.close();
  await second.close();
  await assertCommitted(t, site, ['Edit: Title of one', 'Update: Title of one']);
  t.is(await site.git('status', '--porcelain'), '');
  t.deepEqual(folder(site, 'left-edits'), []);
});

test('while HEAD is detached the edit is parked, and kept until it is on the branch', async (t) => {
  const { site, path, text } = await editedSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start(OPTIONS);
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('parked');
  t.is(folder(site, 'replaced').length, 1);
  await site.git('checkout', '-q', 'main');
  await untilSettled(site);
  await site.stop();
  await assertCommitted(t, site, ['Edit: Title of one', 'Update: Title of one']);
  t.is(await site.git('show', `HEAD^:${path}`), text);
  t.deepEqual(folder(site, 'left-edits'), []);
});

test('an edit on which the branch has gone past while it was parked is left to its owner as a file', async (t) => {
  const { site, path, text } = await editedSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start(OPTIONS);
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('parked');
  await site.git('checkout', '-q', 'main');
  await site.git('commit', '-qam', 'My own commit');
  await untilSettled(site);
  await site.stop();
  await assertCommitted(t, site, ['My own commit']);
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  const [left = ''] = folder(site, 'left-edits');
  t.regex(left, /^one-[0-9a-f]{8}\.md$/);
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), text);
});

test('an edit that its owner has committed is kept no longer, and one that they have staged is left to them as a file, too', async (t) => {
  const { site, path } = await editedSite(t);
  await site.start(OPTIONS);
  await site.git('commit', '-qam', 'My own commit');
  await site.update('one', { revision: 'r2' });
  await untilSettled(site);
  await appendFile(join(site.dir, path), 'other words\n');
  await site.git('add', path);
  await site.update('one', { revision: 'r3' });
  await untilSettled(site);
  await site.stop();
  await assertCommitted(t, site, ['My own commit', 'Update: Title of one', 'Update: Title of one']);
  const staged = await site.git('show', `:${path}`);
  t.true(staged.endsWith('other words\n'));
  // an entry of the index is soon gone
  const [left = '', ...more] = folder(site, 'left-edits');
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), staged);
  t.deepEqual(more, []);
  t.true(site.logged('is staged').some(({ level }) => level === 40));
});

test('an edit that `git commit <path>` has staged, while it committed what had replaced it, is not lost', async (t) => {
  const { site, path, text } = await editedSite(t);
  await keep(site, path);
  // git has read the file once for the index and then, when the update was there, again for the commit
  const edit = (await site.git('hash-object', '-w', path)).trim();
  await site.write(path, text.replace('my words', 'an update'));
  await site.git('commit', '-qam', 'Mine');
  await site.git('update-index', '--cacheinfo', `100644,${edit},${path}`);
  await startAndSettle(site);
  await site.git('add', path);
  const [left = ''] = folder(site, 'left-edits');
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), text);
});

test('an edit of a file that git ignores is nobody’s to commit, and is left to its owner', async (t) => {
  const { site } = await editedSite(t);
  await site.git('rm', '-q', '-r', '--cached', 'content');
  await site.write('.gitignore', 'content/\n');
  await site.start(OPTIONS);
  await site.update('one', { revision: 'r2' });
  await untilSettled(site);
  t.is(folder(site, 'left-edits').length, 1);
});

test('an edit that is not UTF-8 is committed as it is', async (t) => {
  const { site, path } = await editedSite(t);
  await appendFile(join(site.dir, path), Buffer.from('caf\xe9\n', 'latin1'));
  const host = await site.start(OPTIONS);
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(2);
  t.is(await site.git('status', '--porcelain'), '');
  await appendFile(join(site.dir, path), Buffer.from('na\xefve\n', 'latin1'));
  const name = await site.git('hash-object', path);
  await site.update('one', { revision: 'r2' });
  await untilSettled(site);
  await site.stop();
  t.is((await committed(site)).length, 3);
  t.is(await site.git('rev-parse', `HEAD^:${path}`), name);
});

test('two receivers have the same edit to commit, one of them with more behind it: it is committed once', async (t) => {
  const { site, path, text } = await editedSite(t);
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'fast-import');
  await hold();
  const host = await site.start({ ...OPTIONS, env });
  await site.update('one', { revision: 'r2' });
  await untilHeld();
  await site.update('one', { revision: 'r4' });
  const other = siteAt(t.log, site.top, site.dir, environment(join(site.top, '..', 'home')));
  // goes on once the first one has moved the branch
  const bin = join(site.top, '..', 'bin2');
  const late = `case "$*" in *fast-import*) touch '${bin}.ing'; while [ $(${GIT} rev-list --count HEAD) -lt 4 ]; do sleep 0.01; done;; esac`;
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, 'git'), `#!/bin/sh\n${late}\nexec ${GIT} "$@"\n`, { mode: 0o755 });
  const home = environment(join(site.top, '..', 'home'));
  const second = await other.start({
    ...OPTIONS,
    env: { ...home, PATH: `${bin}:${home.PATH}` },
    articles: site.articleFiles,
  });
  await second.hooks.doAction('host.ready', { url: '' });
  await site.until('the second receiver commits', () => fs.existsSync(`${bin}.ing`));
  await release();
  await untilSettled(site);
  await host.close();
  await second.close();
  await assertCommitted(t, site, ['Edit: Title of one', 'Update: Title of one', 'Update: Title of one']);
  t.is(await site.git('show', `HEAD~2:${path}`), text);
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
});

test('a receiver that starts while another has a backlog commits every update of it once', async (t) => {
  const site = await makeSite(t);
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'fast-import');
  const host = await site.start({ env });
  await site.publish('one');
  await site.untilCommitted(1);
  await hold();
  await site.update('one', { revision: 'r2', title: 'Second' });
  await untilHeld();
  await site.update('one', { revision: 'r3', title: 'Third' });
  const other = siteAt(t.log, site.top, site.dir, environment(join(site.top, '..', 'home')));
  const second = await other.start({ articles: site.articleFiles });
  await second.hooks.doAction('host.ready', { url: '' });
  await other.untilCommitted(2);
  await release();
  await host.close();
  await second.close();
  t.deepEqual((await site.subjects()).slice(1), ['Publish: Title of one', 'Update: Second', 'Update: Third']);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a text of Pressmark’s own that an update replaced before a kill has its commit after the next start', async (t) => {
  const site = await makeSite(t);
  const { env, hold, untilHeld } = await withHeldGit(site, 'fast-import');
  await hold();
  // as good as killed: git does not answer, and the shutdown does not wait for it
  const host = await site.start({ env, closeMs: 1 });
  const path = await site.publish('one');
  await untilHeld();
  await site.update('one', { revision: 'r2', title: 'Second' });
  const first = folder(site, 'replaced');
  t.is(first.length, 1);
  await site.update('one', { revision: 'r3', title: 'Third' });
  await host.close();
  t.is(folder(site, 'replaced').length, 2);
  await startAndSettle(site, { commitEdits: false });
  t.deepEqual((await site.subjects()).slice(1), ['Publish: Title of one', 'Update: Second', 'Update: Third']);
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
});

test('an edit is never committed over what its owner has committed since, also where they edit on', async (t) => {
  const { site, path, text } = await editedSite(t);
  await keep(site, path);
  await site.update('one', { revision: 'r2' });
  await appendFile(join(site.dir, path), 'more of mine\n');
  await site.git('commit', '-qam', 'My own commit');
  await appendFile(join(site.dir, path), 'and yet more\n');
  await startAndSettle(site);
  await assertCommitted(t, site, ['My own commit', 'Edit: Title of one']);
  const [left = ''] = folder(site, 'left-edits');
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), text);
});

test('a file with a very long name can be left to its owner, and keeps no other from its commit', async (t) => {
  const path = `content/articles/2026/11/${'ä'.repeat(123)}.md`;
  const { site, text } = await editedSite(t, { path });
  await keep(site, path);
  await site.update('one', { revision: 'r2' });
  await site.git('commit', '-qam', 'My own commit');
  await site.publish('two');
  await startAndSettle(site);
  await assertCommitted(t, site, ['My own commit', 'Publish: Title of two']);
  const [left = ''] = folder(site, 'left-edits');
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), text);
  t.deepEqual(folder(site, '../staging'), []);
});

test('a file among the kept ones that is not Pressmark’s is named in the log, and keeps nothing from its commit', async (t) => {
  const { site } = await editedSite(t);
  const folderOfKept = join(site.top, '..', 'state', 'replaced');
  fs.mkdirSync(folderOfKept, { recursive: true });
  const broken = [
    join(folderOfKept, `${'a'.repeat(20)}-${'a'.repeat(40)}`),
    join(folderOfKept, `${'a'.repeat(20)}-${'b'.repeat(40)}`),
  ];
  fs.writeFileSync(broken[0] ?? '', '');
  fs.writeFileSync(broken[1] ?? '', '{"path": 3}\n');
  await site.publish('two');
  const host = await site.start(OPTIONS);
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(3);
  await host.close();
  await assertCommitted(t, site, ['Edit: Title of one', 'Publish: Title of two']);
  t.is(site.logged('not one of Pressmark’s files').length, 2);
});

test('where edits are not committed any more, one that was kept is left to its owner', async (t) => {
  const { site, path } = await editedSite(t);
  await keep(site, path);
  await site.update('one', { revision: 'r2' });
  await startAndSettle(site, { commitEdits: false });
  await assertCommitted(t, site, ['Update: Title of one']);
  t.is(folder(site, 'left-edits').length, 1);
});

test('an edit that could not be settled while HEAD was away is settled afterwards', async (t) => {
  const { site, text } = await editedSite(t);
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'fast-import');
  await hold();
  await site.start({ ...OPTIONS, env });
  await site.update('one', { revision: 'r2' });
  await untilHeld();
  await site.git('commit', '-qam', 'My own commit');
  await site.git('checkout', '-q', '--detach');
  await release();
  await site.untilLogged('on a branch again');
  await site.git('checkout', '-q', 'main');
  await site.publish('two');
  await untilSettled(site);
  await site.stop();
  await assertCommitted(t, site, ['My own commit', 'Publish: Title of two']);
  const [left = ''] = folder(site, 'left-edits');
  t.is(fs.readFileSync(join(site.top, '..', 'state', 'left-edits', left), 'utf8'), text);
});

test('a receiver that starts while another is about to commit an edit does not commit it twice, though the file was edited again', async (t) => {
  const site = await makeSite(t);
  const host = await site.start({ ...OPTIONS, indexWaitMs: 60_000 });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await appendFile(join(site.dir, path), 'my words\n');
  const lock = join(site.top, '.git', 'index.lock');
  fs.writeFileSync(lock, '');
  await site.update('one', { revision: 'r2' });
  await appendFile(join(site.dir, path), 'more words\n');
  // the second one has found both texts, and has not committed them
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'fast-import');
  await hold();
  const other = siteAt(t.log, site.top, site.dir, environment(join(site.top, '..', 'home')));
  const second = await other.start({ ...OPTIONS, env, articles: site.articleFiles });
  await second.hooks.doAction('host.ready', { url: '' });
  await untilHeld();
  await rm(lock);
  await site.untilCommitted(3);
  await release();
  await site.until('all is committed', async () => (await site.git('status', '--porcelain')) === '');
  await host.close();
  await second.close();
  t.deepEqual((await site.subjects()).slice(2), [
    'Edit: Title of one',
    'Update: Title of one',
    'Edit: Title of one',
  ]);
});

test('an article whose update could not be written still has its commit', async (t) => {
  const site = await makeSite(t);
  let keep: KeepReplaced | undefined;
  await site.start({
    maxHeldText: 0,
    keepsReplaced: (keepIt) => {
      keep = keepIt;
    },
  });
  await site.git('checkout', '-q', '--detach');
  const path = await site.publish('one');
  await site.untilLogged('commits wait for HEAD to be on a branch again');
  // As the store does where the disk is full when it writes the update.
  const undo = await keep?.({ path, revision: await site.revision(path) });
  t.truthy(undo);
  await undo?.();
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(1);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  t.is(await site.git('status', '--porcelain'), '');
});
