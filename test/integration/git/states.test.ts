import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { environment, makeSite, siteAt } from './site.js';

test('closing while HEAD is detached leaves the rest to the next start', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  const host = await site.start();
  await site.publish('one');
  await host.close();
  await site.stop();
  await site.git('checkout', '-q', 'main');
  const again = await site.start();
  await again.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(1);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
});

test('a site in a folder of the repository is committed at that folder', async (t) => {
  const site = await makeSite(t, { folder: 'web/my site' });
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  t.is(await site.git('show', '--format=', '--name-only'), `web/my site/${path}\n`);
  t.is(site.committed[0]?.path, path);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a site in a linked work tree is committed to the branch of that work tree', async (t) => {
  const main = await makeSite(t);
  const linked = join(main.top, '..', 'linked');
  await main.git('worktree', 'add', '-q', '-b', 'drafts', linked);
  const site = siteAt(t.log, linked, linked, environment(join(main.top, '..', 'home')));
  await site.start();
  await site.publish('one');
  await site.untilCommitted(1);
  await site.stop();
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  t.is(await site.git('status', '--porcelain'), '');
  t.deepEqual(await main.subjects(), ['First']);
  t.is(await main.git('status', '--porcelain'), '');
});

test('an article at an ignored place is not committed, which is said once', async (t) => {
  const site = await makeSite(t);
  await site.write('.gitignore', 'content/\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Ignore');
  await site.start();
  await site.publish('one');
  await site.publish('two');
  await site.publish('three', {}, { path: 'elsewhere/three.md' });
  await site.untilCommitted(1);
  t.deepEqual(await site.subjects(), ['First', 'Ignore', 'Publish: Title of three']);
  t.is(site.log.filter(({ level }) => level >= 40).length, 1);
});

test('a content folder in a repository of its own, or outside, is not committed here', async (t) => {
  const site = await makeSite(t);
  await site.write('content/x', '');
  await site.git('init', '-q', 'content');
  await site.start({ content: 'content/' });
  await site.publish('one');
  await symlink(join(site.top, '..', 'home'), join(site.top, 'linked'));
  await site.start({ content: 'linked/' });
  await site.stop();
  t.deepEqual(await site.subjects(), ['First']);
  t.deepEqual(
    site.log.filter(({ level }) => level >= 40).map(({ msg }) => msg),
    [
      'articles are not committed: the content folder: it is in a repository of its own',
      'articles are not committed: the content folder: it is outside of the work tree',
    ],
  );
});

test('articles in a submodule that is not initialised are not committed, and the submodule stays', async (t) => {
  const site = await makeSite(t);
  const head = (await site.git('rev-parse', 'HEAD')).trim();
  await site.write('.gitmodules', '[submodule "c"]\n\tpath = content\n\turl = ../c\n');
  await site.git('add', '.gitmodules');
  await site.git('update-index', '--add', '--cacheinfo', `160000,${head},content`);
  await site.git('commit', '-qm', 'Submodule');
  await site.start({ content: 'content/' });
  await site.publish('one');
  await site.untilLogged('content is a submodule that is not initialised');
  await site.stop();
  t.deepEqual(await site.subjects(), ['First', 'Submodule']);
  t.is(await site.git('ls-tree', 'HEAD', 'content'), `160000 commit ${head}\tcontent\n`);
});

test('outside of a work tree no article is committed, which is said once', async (t) => {
  const site = await makeSite(t, { repository: 'none' });
  const host = await site.start();
  await site.publish('one');
  await host.hooks.doAction('host.ready', { url: '' });
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[30, 'articles are not committed: the site is not in a git work tree']],
  );
});

test('without git no article is committed, which is said once', async (t) => {
  const site = await makeSite(t);
  await site.start({ env: { PATH: '/nowhere' } });
  await site.publish('one');
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[30, 'articles are not committed: git is not installed']],
  );
});
