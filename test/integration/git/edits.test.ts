import { appendFile, chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Host } from '../../../src/host/host.js';
import { makeSite, type Site, startAndCheck } from './site.js';

/** No edit lies still for so long while a test runs, in milliseconds. */
const NEVER = 3_600_000;

/** Edits a file, and tells as the watcher would. */
async function edit(site: Site, host: Host, path: string, words: string): Promise<void> {
  await appendFile(join(site.dir, path), words);
  await host.hooks.doAction('article.edited', { path, id: 'x', url: 'https://example.org/x/' });
}

test('an edit is committed by itself once it lies still', async (t) => {
  const site = await makeSite(t);
  const host = await site.start({ commitEdits: true });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await edit(site, host, path, 'my words\n');
  await site.untilCommitted(2);
  t.is(
    await site.git('log', '-1', '--format=%an: %B', '--name-status'),
    `Olga Owner: Edit: Title of one\n\nArticle-Id: one\nRevision-Id: ${await site.revision(path)}\n\n\nM\t${path}\n`,
  );
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');

  // What the owner has made executable stays so.
  await chmod(join(site.dir, path), 0o755);
  await site.git('commit', '-qam', 'Executable');
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(3);
  await edit(site, host, path, 'more words\n');
  await site.untilCommitted(4);
  t.regex(await site.git('ls-tree', 'HEAD', path), /^100755/);
  t.regex(await site.git('ls-tree', 'HEAD^', path), /^100755/);
  t.is(await site.git('status', '--porcelain'), '');
});

test('an edit that does not lie still yet is committed before the update that replaces it, and once; else at the stop', async (t) => {
  const site = await makeSite(t);
  const host = await site.start({ commitEdits: true, stillMs: NEVER });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await edit(site, host, path, 'my words\n');
  await site.update('one', { title: 'Rewritten', revision: 'r2' });
  await site.untilCommitted(3);
  t.true((await site.git('show', `HEAD^:${path}`)).endsWith('my words\n'));
  await edit(site, host, path, 'my last words\n');
  await host.close();
  t.deepEqual((await site.subjects()).slice(2), [
    'Edit: Title of one',
    'Update: Rewritten',
    'Edit: Rewritten',
  ]);
  t.is(await site.git('status', '--porcelain'), '');
});

test('what a branch switch does to files is not committed as an edit', async (t) => {
  const site = await makeSite(t);
  const host = await site.start({ commitEdits: true });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-qb', 'drafts');
  await appendFile(join(site.dir, path), 'my words\n');
  await site.git('commit', '-qam', 'My words');
  await site.git('checkout', '-q', 'main');
  await host.hooks.doAction('article.edited', { path, id: 'one', url: '' });
  await site.untilLogged('no commit: git has it');
  await site.git('checkout', '-q', 'drafts');
  await host.hooks.doAction('article.edited', { path, id: 'one', url: '' });
  await site.until('git has that, too', () => site.logged('no commit: git has it').length === 2);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'My words']);
  t.is(await site.git('log', '--format=%s', 'main'), 'Publish: Title of one\nFirst\n');
});

test('an edit waits while no branch is checked out, and what was removed stays in git', async (t) => {
  const site = await makeSite(t);
  const host = await site.start({ commitEdits: true });
  const path = await site.publish('one');
  const gone = await site.publish('gone');
  await site.untilCommitted(2);
  await site.git('checkout', '-q', '--detach');
  await edit(site, host, path, 'my words\n');
  await rm(join(site.dir, gone));
  await host.hooks.doAction('article.removed', { path: gone, id: 'gone', url: '' });
  await site.untilLogged('on a branch again');
  t.is(site.committed.length, 2);
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(3);
  await site.stop();
  await startAndCheck(site, { commitEdits: true });
  t.deepEqual((await site.subjects()).at(-1), 'Edit: Title of one');
  t.is(await site.git('status', '--porcelain'), ` D ${gone}\n`);
});
