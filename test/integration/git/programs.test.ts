import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createGit } from '../../../src/git/git.js';
import { openRepository } from '../../../src/git/repository.js';
import { makeSite, withGit } from './site.js';

test('with a git that is too old no article is committed, which is said once', async (t) => {
  const site = await makeSite(t);
  const env = await withGit(site, 'case "$*" in *version*) echo git version 1.8.3.1; exit;; esac');
  await site.start({ env });
  await site.publish('one');
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[40, 'articles are not committed: git 1.8 is too old; 2.31 is needed']],
  );
});

test('with a git that hangs at the start no article is committed, which is said once', async (t) => {
  const site = await makeSite(t);
  const env = await withGit(site, 'sleep 600');
  await site.start({ env, timeoutMs: 300 });
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[40, 'articles are not committed: git does not work here: git version took longer than 0.3 s']],
  );
});

test('a repository is opened by two git commands', async (t) => {
  const site = await makeSite(t, { folder: 'site' });
  const commands = join(site.top, '..', 'commands');
  const env = await withGit(site, `echo "$*" >> '${commands}'`);
  const gitDir = join(site.top, '.git');
  t.like(await openRepository(site.dir, env), {
    kind: 'repository',
    top: site.top,
    prefix: 'site/',
    gitDir,
    commonDir: gitDir,
    objectFormat: 'sha1',
  });
  t.is((await readFile(commands, 'utf8')).trimEnd().split('\n').length, 2);
});

for (const [where, folder] of [
  ['in a bare repository', 'bare.git'],
  ['in the git directory', '.git'],
  ['in no work tree, as that is elsewhere', '.'],
] as const)
  test(`a site ${where} is in no work tree`, async (t) => {
    const site = await makeSite(t);
    await site.git('init', '-q', '--bare', 'bare.git');
    const elsewhere = join(site.top, '..', 'elsewhere');
    await mkdir(elsewhere);
    if (folder === '.') await site.git('config', 'core.worktree', elsewhere);
    const env = { PATH: process.env.PATH };
    t.like(await openRepository(join(site.top, folder), env), { kind: 'none', unexpected: false });
  });

test('a git command that is stopped ends with the programs that it has started', async (t) => {
  const site = await makeSite(t);
  const started = join(site.top, '..', 'started');
  const env = await withGit(site, `case "$*" in *update-index*) sleep 600 & : > '${started}'; wait;; esac`);
  const stop = new AbortController();
  const git = createGit({ cwd: site.top, env, signal: stop.signal });
  let said = '';
  void git(['update-index']).catch((error: Error) => {
    said = error.message;
  });
  await site.until('git has started a program', () => existsSync(started));
  stop.abort();
  // that program has the pipes of git open for as long as it runs
  await site.until('the command has ended', () => said !== '');
  t.is(said, 'git update-index was stopped');
});

test('a git command that takes too long removes its lock before it ends', async (t) => {
  const site = await makeSite(t);
  await site.git('config', 'filter.slow.clean', 'sleep 600');
  await site.write('.gitattributes', '*.md filter=slow\n');
  await site.write('one.md', 'one\n');
  const git = createGit({ cwd: site.top, env: { PATH: process.env.PATH }, timeoutMs: 1_000 });
  const lock = join(site.top, '.git', 'index.lock');
  const adding = t.throwsAsync(git(['add', 'one.md']), { message: 'git add took longer than 1 s' });
  await site.until('git has locked the index', () => existsSync(lock));
  await adding;
  t.false(existsSync(lock));
});

for (const command of ['update-index', 'update-ref']) {
  test(`where the disk is full at git ${command}, all is committed once there is room`, async (t) => {
    const site = await makeSite(t);
    const mark = join(site.top, '..', 'full');
    // a file may have no byte any more: what the kernel says then is as good as that the disk is full
    const env = await withGit(
      site,
      `case "$*" in *${command}*) [ -e '${mark}' ] && trap '' XFSZ && ulimit -f 0;; esac`,
    );
    await site.start({ env });
    const path = await site.publish('one');
    await site.untilCommitted(1);
    await writeFile(mark, '');
    await site.update('one', { revision: 'r2' });
    await site.publish('two');
    await site.until('a commit has failed', () => site.log.some(({ level }) => level === 50));
    t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
    t.is(await site.git('fsck', '--full', '--no-dangling'), '');
    await rm(mark);
    await site.untilCommitted(3);
    await site.untilLogged('commits work again');
    t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
    t.is(await site.git('status', '--porcelain'), '');
    t.is(await site.git('fsck', '--full', '--no-dangling'), '');
  });
}
