import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createGit } from '../../../src/git/git.js';
import { openRepository } from '../../../src/git/repository.js';
import { makeSite, withGit } from './site.js';

test('a bare repository, a git directory, and a folder whose work tree is elsewhere are no work trees', async (t) => {
  const site = await makeSite(t);
  await site.git('init', '-q', '--bare', 'bare.git');
  const elsewhere = join(site.top, '..', 'elsewhere');
  await mkdir(elsewhere);
  await site.git('config', 'core.worktree', elsewhere);
  for (const folder of ['bare.git', '.git', '.']) {
    const found = await openRepository(join(site.top, folder), { PATH: process.env.PATH });
    t.like(found, { kind: 'none', unexpected: false }, folder);
  }
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

test('a git command that does not end on SIGTERM is killed', async (t) => {
  const site = await makeSite(t);
  const started = join(site.top, '..', 'started');
  const loop = `trap '' TERM; echo $$ > '${started}'; while :; do sleep 0.05; done`;
  const env = await withGit(site, `case "$*" in *update-index*) ${loop};; esac`);
  const stop = new AbortController();
  const git = createGit({ cwd: site.top, env, signal: stop.signal });
  const running = t.throwsAsync(git(['update-index']), { message: 'git update-index was stopped' });
  const pid = () => Number(readFileSync(started, 'utf8'));
  await site.until('it runs', () => existsSync(started) && pid() > 0);
  stop.abort();
  await running;
  t.throws(() => process.kill(pid(), 0), { code: 'ESRCH' });
});

test('a git command that takes too long removes its lock before it ends', async (t) => {
  const site = await makeSite(t);
  const [lock, locked] = [join(site.top, '.git', 'index.lock'), join(site.top, '..', 'locked')];
  await site.git('config', 'filter.slow.clean', `test -e '${lock}' && : > '${locked}'; sleep 600`);
  await site.write('.gitattributes', '*.md filter=slow\n');
  await site.write('one.md', 'one\n');
  // A machine on which git is slow to begin gives it more time.
  for (let seconds = 1; !existsSync(locked) && seconds < 40; seconds *= 2) {
    const git = createGit({ cwd: site.top, env: { PATH: process.env.PATH }, timeoutMs: 1_000 * seconds });
    await t.throwsAsync(git(['add', 'one.md']), { message: `git add took longer than ${seconds} s` });
  }
  t.true(existsSync(locked), 'git had locked the index');
  t.false(existsSync(lock));
});
