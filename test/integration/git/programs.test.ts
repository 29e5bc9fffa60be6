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

test('a git command that is stopped ends with the programs that it has started, also those that ignore SIGTERM', async (t) => {
  const site = await makeSite(t);
  const started = join(site.top, '..', 'started');
  // what ignores a signal ignores it in the program that it becomes, too
  const stubborn = `(trap '' TERM; exec sleep 600) & echo $! > '${started}'; wait`;
  const env = await withGit(site, `case "$*" in *update-index*) ${stubborn};; esac`);
  const stop = new AbortController();
  const git = createGit({ cwd: site.top, env, signal: stop.signal });
  const running = t.throwsAsync(git(['update-index']), { message: 'git update-index was stopped' });
  const pid = () => Number(readFileSync(started, 'utf8'));
  await site.until('git has started a program', () => existsSync(started) && pid() > 0);
  stop.abort();
  // that program has the pipes of git open for as long as it runs
  await running;
  await site.until('the program has ended', () => !isRunning(pid()));
});

/** Whether a process runs; one that has ended and whose parent has not noticed does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a git command that takes too long removes its lock before it ends', async (t) => {
  const site = await makeSite(t);
  const [lock, locked] = [join(site.top, '.git', 'index.lock'), join(site.top, '..', 'locked')];
  await site.git('config', 'filter.slow.clean', `test -e '${lock}' && : > '${locked}'; sleep 600`);
  await site.write('.gitattributes', '*.md filter=slow\n');
  await site.write('one.md', 'one\n');
  // A machine on which git is slow to begin gives it more time.
  for (let seconds = 0.2; !existsSync(locked) && seconds < 40; seconds *= 2) {
    const git = createGit({ cwd: site.top, env: { PATH: process.env.PATH }, timeoutMs: 1_000 * seconds });
    await t.throwsAsync(git(['add', 'one.md']), { message: `git add took longer than ${seconds} s` });
  }
  t.true(existsSync(locked), 'git had locked the index');
  t.false(existsSync(lock));
});
