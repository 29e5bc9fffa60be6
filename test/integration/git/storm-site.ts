import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { article } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { environment, GIT } from './site.js';

const run = promisify(execFile);

/** A person's repository with receivers in it, all of whom storms go over. */
export interface StormSite {
  readonly dir: string;
  readonly receivers: (Receiver | undefined)[];
  /** The logs of all receivers there ever were, by number. */
  readonly logs: { readonly slot: number; readonly lines: Receiver['log'] }[];
  /** Runs git as the person would. */
  git(...args: string[]): Promise<string>;
  /** Publishes an article until that is acknowledged; resolves with its URL. */
  publish(slot: number, id: string): Promise<string>;
  /** Kills a receiver and starts it again, or kills one of its git commands. */
  kill(turn: number): Promise<void>;
  /** Runs git until it does it, or has nothing to commit. */
  insist(...args: string[]): Promise<void>;
  /** Rebases the last commits onto themselves; false where git would not have it. */
  rebase(): Promise<boolean>;
}

/** Makes the repository and starts the receivers, with a `git` that writes down its process ids. */
export async function makeStormSite(
  t: ExecutionContext,
  {
    config = {},
    receivers: count = 2,
    logLevel = 'info',
  }: { config?: Record<string, unknown>; receivers?: 1 | 2; logLevel?: 'info' | 'debug' } = {},
): Promise<StormSite> {
  const root = tempDir(t);
  const dir = join(root, 'site');
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  const pids = join(root, 'pids');
  const env = environment(home);
  await Promise.all([dir, home, bin].map((folder) => mkdir(folder)));
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Olga\n\temail = olga@example.org\n');
  await writeFile(pids, '');
  await writeFile(join(bin, 'git'), `#!/bin/sh\necho $$ >> "$PIDS"\nexec ${GIT} "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const settings = {
    site: false,
    logLevel,
    git: { author: { name: 'Bot', email: 'bot@example.org' }, ...config },
  };
  await writeFile(join(dir, 'pressmark.config.json'), JSON.stringify(settings));
  await writeFile(join(dir, '.gitignore'), '.pressmark/\n');
  await writeFile(join(dir, 'notes.txt'), '\n');
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'First'],
  ])
    execFileSync('git', args, { cwd: dir, env });

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
    for (;;) {
      try {
        const answer = await receivers[slot]?.post('article.published', article({ id, slug: id }));
        if (answer?.status === 200) return answer.json.url;
      } catch {
        // killed
      }
      await setTimeout(50);
    }
  }

  async function kill(turn: number): Promise<void> {
    if (turn % 3 !== 0) return killGit(pids);
    const slot = turn % count;
    await receivers[slot]?.kill('SIGKILL');
    await start(slot);
  }

  async function insist(...args: string[]): Promise<void> {
    for (;;) {
      try {
        await git(...args);
        return;
      } catch (error) {
        // git says so on standard output
        if (/nothing (?:added )?to commit|no changes added/.test(JSON.stringify(error))) return;
        await setTimeout(40);
      }
    }
  }

  async function rebase(): Promise<boolean> {
    try {
      await git('rebase', '-q', '--force-rebase', 'HEAD~4');
      return true;
    } catch {
      if (!fs.existsSync(join(dir, '.git', 'rebase-merge'))) return false;
      await setTimeout(500);
      await insist('rebase', '--abort');
      return false;
    }
  }

  return { dir, receivers, logs, git, publish, kill, insist, rebase };
}

/** Kills the youngest git command of a receiver that still runs. */
function killGit(pids: string): void {
  const youngest = fs.readFileSync(pids, 'utf8').trim().split('\n').slice(-5).reverse();
  for (const pid of youngest.map(Number)) {
    try {
      if (!fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('git')) continue;
      process.kill(pid, 'SIGKILL');
      return;
    } catch {
      // it has ended
    }
  }
}
