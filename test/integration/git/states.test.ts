import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeSite, withGit } from './site.js';

for (const [what, begin, end] of [
  ['HEAD is detached', ['checkout', '-q', '--detach'], ['checkout', '-q', 'main']],
  ['a bisect goes on', ['bisect', 'start'], ['bisect', 'reset']],
] as const)
  test(`closing while ${what} leaves the rest to the next start`, async (t) => {
    const site = await makeSite(t);
    await site.git(...begin);
    const host = await site.start();
    await site.publish('one');
    await host.close();
    await site.stop();
    t.deepEqual(await site.subjects(), ['First']);
    await site.git(...end);
    const again = await site.start();
    await again.hooks.doAction('host.ready', { url: '' });
    await site.untilCommitted(1);
    t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
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

test('where nothing can be committed, no article is, which is said once', async (t) => {
  const site = await makeSite(t);
  const outside = await makeSite(t, { repository: 'none' });
  const old = await withGit(site, 'case "$*" in *version*) echo git version 1.8.3.1; exit;; esac');
  const hanging = await withGit(outside, 'sleep 600');
  for (const [where, options, level, msg] of [
    [site, { env: { PATH: '/nowhere' } }, 30, 'git is not installed'],
    [site, { env: old }, 40, 'git 1.8 is too old; 2.31 is needed'],
    [
      site,
      { env: hanging, timeoutMs: 300 },
      40,
      'git does not work here: git version took longer than 0.3 s',
    ],
    [outside, {}, 30, 'the site is not in a git work tree'],
  ] as const) {
    where.log.length = 0;
    const host = await where.start(options);
    await where.publish('one');
    await host.hooks.doAction('host.ready', { url: '' });
    await where.stop();
    t.deepEqual(
      where.log.map((line) => [line.level, line.msg]),
      [[level, `articles are not committed: ${msg}`]],
    );
  }
});
