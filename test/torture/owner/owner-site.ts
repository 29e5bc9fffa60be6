import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gitEnvironment, gitIn, makeRepository } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import type { Teardown } from '../../support/teardown.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

/** A repository in which the owner and receivers work at the same time. */
export interface OwnerSite {
  readonly dir: string;
  readonly receivers: (Receiver | undefined)[];
  /** The logs of all receivers, including killed ones; `slot` is the receiver's index in `receivers`. */
  readonly logs: { readonly slot: number; readonly lines: Receiver['log'] }[];
  /** Runs git as the owner. */
  git(...args: string[]): Promise<string>;
  /** Sends a publication until it is acknowledged; resolves with the article's URL. */
  publish(slot: number, id: string): Promise<string>;
  /** In every third turn kills a receiver and starts it again; in the others stops a git command of a receiver. */
  kill(turn: number): Promise<boolean>;
  /** Repeats a git command until it succeeds or has nothing to commit. */
  insist(...args: string[]): Promise<void>;
  /**
   * Rebases the last commits onto themselves.
   *
   * @param whenBegun is called when the rebase has begun, or has ended without beginning.
   * @returns false if git refused it, or it was aborted.
   */
  rebase(whenBegun?: () => void): Promise<boolean>;
  /** Waits until git has all stored articles, and no ref of Pressmark's own is left after a restart; there must be no deliveries meanwhile. */
  caughtUp(): Promise<void>;
}

/**
 * Makes the repository and starts the receivers, with a `git` wrapper that records the ids of its processes.
 *
 * @param root a folder that does not exist yet.
 */
export async function makeOwnerSite(t: Teardown, root: string, count: number): Promise<OwnerSite> {
  const [dir, home, bin, pids] = ['site', 'home', 'bin', 'pids'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, bin]) fs.mkdirSync(folder, { recursive: true });
  const env = gitEnvironment(home);
  const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  fs.writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Olga\n\temail = olga@example.org\n');
  fs.writeFileSync(pids, '');
  const script = `#!/bin/sh\necho $$ >> "$PIDS"\nexec ${realGit} "$@"\n`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const author = { name: 'Bot', email: 'bot@example.org' };
  makeRepository(dir, { site: false, logLevel: 'debug', git: { author, commitEdits: true } });
  fs.writeFileSync(join(dir, 'notes.txt'), '\n');
  gitIn(dir, 'add', 'notes.txt');
  gitIn(dir, 'commit', '--quiet', '-m', 'Notes');

  const receivers: (Receiver | undefined)[] = Array.from({ length: count });
  const logs: { slot: number; lines: Receiver['log'] }[] = [];
  const start = async (slot: number) => {
    const receiver = await launch(dir, { env: { ...env, PATH: `${bin}:${env.PATH}`, PIDS: pids } });
    receivers[slot] = receiver;
    logs.push({ slot, lines: receiver.log });
  };
  t.teardown(async () => {
    for (const receiver of receivers) await receiver?.kill('SIGKILL');
  });
  await Promise.all([...receivers.keys()].map(start));

  const git = async (...args: string[]) => (await run('git', args, { cwd: dir, env, maxBuffer: 1e9 })).stdout;

  async function publish(slot: number, id: string): Promise<string> {
    let url: string | undefined;
    await until(`a repeated publication of ${id} should be acknowledged`, async () => {
      try {
        const answer = await receivers[slot]?.post('article.published', article({ id, slug: id }));
        if (answer?.status === 200) url = answer.json.url;
      } catch {
        // the receiver was killed
      }
      return url !== undefined;
    });
    return url ?? '';
  }

  async function kill(turn: number): Promise<boolean> {
    if (turn % 3 !== 0) return stopGit(pids, dir);
    const slot = (turn / 3) % count;
    await receivers[slot]?.kill('SIGKILL');
    await start(slot);
    return true;
  }

  function insist(...args: string[]): Promise<void> {
    return until(`the owner should succeed with git ${args.join(' ')}`, async () => {
      try {
        await git(...args);
        return true;
      } catch (error) {
        removeForgottenLock(dir);
        // git prints this on standard output, which is part of the error
        return /nothing (?:added )?to commit|no changes added/.test(JSON.stringify(error));
      }
    });
  }

  async function rebase(whenBegun?: () => void): Promise<boolean> {
    const state = join(dir, '.git', 'rebase-merge');
    let over = false;
    const begun = (async () => {
      while (!over && !fs.existsSync(state)) await setTimeout(1);
      whenBegun?.();
    })();
    try {
      await git('rebase', '-q', '--force-rebase', 'HEAD~4');
      return true;
    } catch {
      if (!fs.existsSync(state)) return false;
      await setTimeout(500);
      await insist('rebase', '--abort');
      return false;
    } finally {
      over = true;
      await begun;
    }
  }

  async function caughtUp(): Promise<void> {
    await until('git should have all stored articles', async () => {
      removeForgottenLock(dir);
      return (await git('status', '--porcelain', '--', 'content')) === '';
    });
    // The refs of killed receivers are removed by a start that finds everything committed.
    await receivers[0]?.stop();
    await start(0);
    await until('no ref of Pressmark’s own should be left', async () => {
      return (await git('for-each-ref', '--format=%(refname)', 'refs/worktree/pressmark/')) === '';
    });
  }

  return { dir, receivers, logs, git, publish, kill, insist, rebase, caughtUp };
}

/** A lock of the index that has not changed for so long is held by nobody, in milliseconds. */
const FORGOTTEN_MS = 20_000;

/**
 * Does what git and `pressmark doctor` ask of the owner: a git that is ended in the moment between the making of its lock and
 * its note of that leaves the lock, for ever.
 */
function removeForgottenLock(dir: string): void {
  const lock = join(dir, '.git', 'index.lock');
  const changedAt = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt !== undefined && Date.now() - changedAt > FORGOTTEN_MS) fs.rmSync(lock, { force: true });
}

/** The files of a folder; none if it does not exist. */
export function filesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];
}

/**
 * Ends the git command of the receivers that was started last and still runs, by SIGTERM, on which git removes its locks.
 *
 * @returns whether there was one.
 */
function stopGit(pids: string, dir: string): boolean {
  const newest = fs.readFileSync(pids, 'utf8').trim().split('\n').slice(-5).reverse();
  for (const pid of newest.map(Number)) {
    try {
      // Another program may have the process id by now.
      const [program = ''] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (basename(program) !== 'git' || !fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)) continue;
      process.kill(pid, 'SIGTERM');
      return true;
    } catch {
      // it has ended
    }
  }
  return false;
}
