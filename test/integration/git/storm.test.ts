import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import test from 'ava';
import { article, update } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { environment } from './site.js';

/** How long the storm blows, in seconds; `PRESSMARK_STORM=60` for a large one. */
const SECONDS = Number(process.env.PRESSMARK_STORM ?? 3);

const run = promisify(execFile);
const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

test(`two publishers beside a person who commits, amends and rebases, all of them killed: ${SECONDS} s`, async (t) => {
  t.timeout(120_000 + 2_000 * SECONDS);
  const root = tempDir(t);
  const dir = join(root, 'site');
  const pids = join(root, 'pids');
  const env = await prepare(root, dir, pids);
  const git = async (...args: string[]) => (await run('git', args, { cwd: dir, env, maxBuffer: 1e9 })).stdout;

  const receivers: (Receiver | undefined)[] = [undefined, undefined];
  const start = async (slot: number) => {
    receivers[slot] = await launch(dir, {
      env: { ...env, PATH: `${join(root, 'bin')}:${env.PATH}`, PIDS: pids },
    });
  };
  t.teardown(async () => {
    for (const receiver of receivers) await receiver?.kill('SIGKILL');
  });
  await Promise.all([start(0), start(1)]);

  const acknowledged = new Set<string>();
  const noted = new Set<string>();
  let kills = 0;
  let rebases = 0;
  let isOver = false;

  /** Publishes, and updates every other article. */
  async function publisher(slot: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const id = `${slot}-${n}`;
      const base = await acknowledge(slot, 'article.published', article({ id, slug: id }));
      acknowledged.add(id);
      if (base === undefined || n % 2 === 0) continue;
      try {
        const target = await receivers[slot]?.find(base);
        if (target === undefined) continue;
        const over = { target_id: target.id, target_url: target.url, base_revision_id: target.revision_id };
        await receivers[slot]?.post('article.updated', update(over));
      } catch {
        // killed, or the person's rebase has the file away just now: the service would try again
      }
    }
  }

  async function acknowledge(slot: number, event: string, data: unknown): Promise<string | undefined> {
    for (;;) {
      try {
        const answer = await receivers[slot]?.post(event, data);
        if (answer?.status === 200) return answer.json.url;
      } catch {
        // killed
      }
      await setTimeout(50);
    }
  }

  /** Does what a person does, again where git says no. */
  async function person(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      await appendFile(join(dir, 'notes.txt'), `note ${n}\n`);
      await writeFile(join(dir, 'draft.txt'), `not to be committed, ${n}\n`);
      await insist(() => git('add', 'notes.txt'));
      await insist(() => git('commit', '-q', '-m', `Note ${n}`, '--', 'notes.txt'));
      noted.add(`note ${n}`);
      if (n % 3 === 1) await insist(() => git('commit', '-q', '--amend', '-m', `Note ${n}, amended`));
      if (n % 3 === 2) await rebase();
      await setTimeout(30);
    }
  }

  async function insist(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if (String(error).includes('nothing to commit') || String(error).includes('no changes added')) return;
        await setTimeout(40);
      }
    }
  }

  async function rebase(): Promise<void> {
    try {
      await git('rebase', '-q', '--force-rebase', 'HEAD~4');
      rebases++;
    } catch {
      if (!fs.existsSync(join(dir, '.git', 'rebase-merge'))) return;
      await setTimeout(500);
      await insist(() => git('rebase', '--abort'));
    }
  }

  /** Kills a receiver or one of its git commands. */
  async function killer(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      await setTimeout(200 + Math.random() * 400);
      if (n % 3 === 0) {
        const slot = n % 2;
        await receivers[slot]?.kill('SIGKILL');
        await start(slot);
      } else killGit(pids);
      kills++;
    }
  }

  const everybody = Promise.all([publisher(0), publisher(1), person(), killer()]);
  await setTimeout(1_000 * SECONDS);
  isOver = true;
  await everybody;

  const missing = async () => {
    const there = new Set((await git('ls-tree', '-r', '-z', '--name-only', 'HEAD', 'content/')).split('\0'));
    return [...acknowledged].filter((id) => !there.has(`content/articles/2026/11/${id}.md`));
  };
  for (let left = 600; ; left--) {
    const status = await git('status', '--porcelain', '--', 'content');
    if ((await missing()).length === 0 && status === '') break;
    if (left === 0) {
      t.log(receivers.map((receiver) => receiver?.log.filter(({ level }) => level >= 40)));
      t.fail(`not in HEAD: ${await missing()}; status: ${status}`);
      return;
    }
    await setTimeout(100);
  }
  for (const receiver of receivers) t.is(await receiver?.stop(), 0);

  t.log(`${acknowledged.size} articles, ${noted.size} notes, ${rebases} rebases, ${kills} kills`);
  t.true(acknowledged.size > 0 && noted.size > 0 && kills > 0 && (rebases > 0 || SECONDS < 20));
  t.is(await git('status', '--porcelain'), '?? draft.txt\n');
  t.is(await git('fsck', '--full', '--strict', '--no-dangling'), '');
  t.is(await git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\n');
  const locks = fs
    .readdirSync(join(dir, '.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'));
  t.deepEqual(locks, []);
  const notes = new Set((await git('show', 'HEAD:notes.txt')).split('\n'));
  t.deepEqual(
    [...noted].filter((note) => !notes.has(note)),
    [],
  );
  const log = await git('log', '--format=%x01%cn%n%s', '--name-only', '--no-renames', 'HEAD');
  const commits = log
    .split('\x01')
    .slice(1)
    .map((entry) => entry.split('\n').filter((line) => line !== ''));
  for (const [committer = '', subject = '', ...files] of commits) {
    t.false(files.includes('draft.txt'), subject);
    if (committer === 'Bot') t.regex(files.join(' '), /^content\/articles\/2026\/11\/[\d-]+\.md$/, subject);
  }
});

/** The person's repository, and a `git` for the receivers that writes down its process ids. */
async function prepare(root: string, dir: string, pids: string): Promise<NodeJS.ProcessEnv> {
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  await Promise.all([dir, home, bin].map((folder) => mkdir(folder)));
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Olga\n\temail = olga@example.org\n');
  await writeFile(pids, '');
  await writeFile(join(bin, 'git'), `#!/bin/sh\necho $$ >> "$PIDS"\nexec ${GIT} "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const config = { site: false, git: { author: { name: 'Bot', email: 'bot@example.org' } } };
  await writeFile(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  await writeFile(join(dir, '.gitignore'), '.pressmark/\n');
  await writeFile(join(dir, 'notes.txt'), '\n');
  const env = environment(home);
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'First'],
  ])
    execFileSync('git', args, { cwd: dir, env });
  return env;
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
