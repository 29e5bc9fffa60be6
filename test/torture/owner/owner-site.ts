import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeRepository } from '../repository.js';
import { BrokenPromise } from '../scenario.js';
import type { Teardown } from '../teardown.js';

const run = promisify(execFile);

/** Longer than anything takes that succeeds when it is repeated. */
const PATIENCE_MS = 60_000;

/** A repository in which its owner works while receivers do. */
export interface OwnerSite {
  readonly dir: string;
  readonly receivers: (Receiver | undefined)[];
  /** The logs of all receivers there ever were, by number. */
  readonly logs: { readonly slot: number; readonly lines: Receiver['log'] }[];
  /** Runs git as the owner. */
  git(...args: string[]): Promise<string>;
  /** Publishes an article until that is acknowledged; resolves with its URL. */
  publish(slot: number, id: string): Promise<string>;
  /** Kills a receiver and starts it again, or kills one of its git commands. */
  kill(turn: number): Promise<void>;
  /** Runs git until it succeeds, or has nothing to commit. */
  insist(...args: string[]): Promise<void>;
  /**
   * Rebases the last commits onto themselves.
   *
   * @param whenBegun is called once the rebase is under way.
   * @returns false where git refused.
   */
  rebase(whenBegun?: () => void): Promise<boolean>;
  /** Waits until git has all that is stored, while nobody delivers anything. */
  caughtUp(): Promise<void>;
}

export interface OwnerSiteOptions {
  /** A folder that is not there yet. */
  readonly root: string;
  /** Laid over the settings of git. */
  readonly git?: Record<string, unknown>;
  readonly receivers: 1 | 2;
  readonly logLevel?: 'info' | 'debug';
}

/** Makes the repository and starts the receivers, with a `git` that writes down its process ids. */
export async function makeOwnerSite(
  t: Teardown,
  { root, git: config = {}, receivers: count, logLevel = 'info' }: OwnerSiteOptions,
): Promise<OwnerSite> {
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
  makeRepository(dir, { site: false, logLevel, git: { author, ...config } });
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
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end) {
      try {
        const answer = await receivers[slot]?.post('article.published', article({ id, slug: id }));
        if (answer?.status === 200) return answer.json.url;
      } catch {
        // killed
      }
      await setTimeout(50);
    }
    throw new BrokenPromise(`a publication that is sent again should be acknowledged in the end: ${id}`);
  }

  async function kill(turn: number): Promise<void> {
    if (turn % 3 !== 0) return killGit(pids);
    const slot = turn % count;
    await receivers[slot]?.kill('SIGKILL');
    await start(slot);
  }

  async function insist(...args: string[]): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await git(...args);
        return;
      } catch (error) {
        // git says so on standard output
        if (/nothing (?:added )?to commit|no changes added/.test(JSON.stringify(error))) return;
        if (performance.now() > end)
          throw new BrokenPromise(`a git command of the owner should succeed when it is repeated: ${error}`);
        await setTimeout(40);
      }
    }
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
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const waiting = await waitingIn({ dir, git });
      if (waiting === '') return;
      if (performance.now() > end)
        throw new BrokenPromise(`git should have all that is stored within 60 s; it lacks ${waiting}`);
      await setTimeout(50);
    }
  }

  return { dir, receivers, logs, git, publish, kill, insist, rebase, caughtUp };
}

/** What git does not have yet, or what keeps it from it; empty where it has all. */
async function waitingIn({ dir, git }: Pick<OwnerSite, 'dir' | 'git'>): Promise<string> {
  const lines = (await git('status', '--porcelain', '--', 'content')).split('\n');
  // `git commit <path>` also stages an edit that an update has replaced before it was committed
  const status = lines.filter((line) => /^[ ?]/.test(line));
  const replaced = filesIn(join(dir, '.pressmark', 'replaced'));
  const parked = await git('for-each-ref', '--format=%(refname)', 'refs/pressmark/');
  return [...status, ...replaced, parked.trim()].filter((line) => line !== '').join(', ');
}

/** The files of a folder that may not be there. */
export function filesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];
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
