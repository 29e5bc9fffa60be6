import { appendFile, chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Host } from '../../../src/host/host.js';
import { makeSite, type Site } from './site.js';

/** Edits a file, and tells as the watcher would. */
async function edit(site: Site, host: Host, path: string, words: string): Promise<void> {
  await appendFile(join(site.dir, path), words);
  await host.hooks.doAction('article.edited', { path, id: 'x', url: 'https://example.org/x/' });
}

test('an edit is committed by itself once it lies still, and at the stop; it waits while no branch is checked out; what is executable stays so, and a removed file stays in git, which is no failure; an article that is edited before its commit has one, too', async (t) => {
  const site = await makeSite(t);
  const failed: string[] = [];
  const host = await site.start({
    commitEdits: true,
    setup: ({ addAction }) => addAction('git.failed', ({ reason }) => void failed.push(reason)),
  });
  const [path, gone] = [await site.publish('one'), await site.publish('gone')];
  await site.untilCommitted(2);
  await chmod(join(site.dir, path), 0o755);
  await site.git('commit', '-qam', 'Executable');
  await edit(site, host, path, 'my words\n');
  await site.untilCommitted(3);
  t.is(
    await site.git('log', '-1', '--format=%an: %B', '--name-status'),
    `Olga Owner: Edit: Title of one\n\nArticle-Id: one\nRevision-Id: ${await site.revision(path)}\n\n\nM\t${path}\n`,
  );
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.regex(await site.git('ls-tree', 'HEAD', path), /^100755/);
  t.is(await site.git('status', '--porcelain'), '');

  await site.git('checkout', '-q', '--detach');
  await edit(site, host, path, 'more of them\n');
  await edit(site, host, gone, 'words that go with it\n');
  await rm(join(site.dir, gone));
  await host.hooks.doAction('article.removed', { path: gone, id: 'gone', url: '' });
  await site.untilLogged('on a branch again');
  t.is(site.committed.length, 3);
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(4);
  await site.stop();
  t.deepEqual([...new Set(failed)], ['commits wait for HEAD to be on a branch again']);

  const next = await site.start({ commitEdits: true, stillMs: 3_600_000 });
  await site.git('checkout', '-q', '--detach');
  site.log.length = 0;
  const late = await site.publish('late');
  await site.untilLogged('on a branch again');
  await edit(site, next, late, 'my words on it\n');
  await edit(site, next, path, 'my last words\n');
  await site.git('checkout', '-q', 'main');
  await next.close();
  const [one, ...other] = ['Edit: Title of one', 'Publish: Title of late', 'Edit: Title of late'];
  t.deepEqual((await site.subjects()).slice(4), [one, one, ...other, one]);
  t.is(await site.git('status', '--porcelain'), ` D ${gone}\n`);
});
