import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn, makeRemote } from '../../support/clones.js';
import { articleFiles, debris } from '../../support/content.js';
import { article } from '../../support/events.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// While git is held at its first command, everything that is delivered gathers behind it.

/** Fewer than the store writes at a time, and than any batch may have. */
const MANY = 40;

/** A clone with a receiver, an article that was committed and pushed, and a git that counts from then on. */
async function quietSite(t: ExecutionContext, config: Record<string, unknown>) {
  const remote = makeRemote(tempDir(t), undefined, config);
  const dir = remote.clone('site');
  // a character for each article that waits for its commit: its message is asked for just then
  const waiting = join(dir, '.git', 'waiting');
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'notice.mjs'),
    `import fs from 'node:fs';
     const notice = (message) => (fs.appendFileSync('${waiting}', '.'), message);
     export default { name: 'notice', setup: (host) => host.addFilter('git.message', notice) };`,
  );
  const git = gitThatCounts(t);
  const receiver = await launchIn(dir, { env: git.env });
  t.teardown(() => receiver.kill('SIGKILL'));
  const publish = async () => (await receiver.post('article.published', article())).status;
  const isClean = () => gitIn(dir, 'status', '--porcelain', 'content') === '';
  t.is(await publish(), 200);
  await until('the first article is committed', () => articlesOf(dir, 'HEAD') === 1 && isClean());
  fs.writeFileSync(waiting, '');
  return { dir, git, publish, isClean, waiting: () => fs.readFileSync(waiting, 'utf8').length };
}

type Site = Awaited<ReturnType<typeof quietSite>>;

/** A git that writes down each command that it is asked for, and waits before it as long as a test wants. */
function gitThatCounts(t: ExecutionContext) {
  const bin = tempDir(t);
  const [commands, hold, held] = ['commands', 'hold', 'held'].map((name) => join(bin, name));
  if (commands === undefined || hold === undefined || held === undefined) throw new Error('no files');
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `PATH='${PATH}'`,
    // the first argument that neither is a setting nor says that one follows
    'name= isSetting=',
    'for argument; do',
    '  if [ -n "$isSetting" ]; then isSetting=',
    '  elif [ "$argument" = -c ]; then isSetting=yes',
    '  else name=$argument; break',
    '  fi',
    'done',
    `if [ -e '${hold}' ]; then echo "$name" >> '${held}'; fi`,
    `while [ -e '${hold}' ]; do sleep 0.05; done`,
    `echo "$name" >> '${commands}'`,
    'exec git "$@"',
    '',
  ];
  fs.writeFileSync(join(bin, 'git'), script.join('\n'), { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    /** From now on, each command waits; those that were written down are forgotten. */
    hold: () => {
      fs.writeFileSync(hold, '');
      fs.rmSync(commands, { force: true });
    },
    /** Whether a command waits. */
    isHeld: () => fs.existsSync(held),
    release: () => fs.rmSync(hold),
    /** How often a command was run since. */
    count: (command: string) =>
      fs
        .readFileSync(commands, 'utf8')
        .split('\n')
        .filter((line) => line === command).length,
  };
}

function articlesOf(dir: string, ref: string): number {
  return gitIn(dir, 'ls-tree', '-r', '--name-only', ref, 'content/').split('\n').length - 1;
}

/** Lets git go, and waits until all is done. */
async function letGo(t: ExecutionContext, { git, dir, isClean }: Site, answers: readonly Promise<number>[]) {
  git.release();
  t.deepEqual([...new Set(await Promise.all(answers))], [200]);
  await until('all articles are committed', () => articlesOf(dir, 'HEAD') === 1 + MANY && isClean());
}

/** One commit for each article, of that file alone. */
function assertOneEach(t: ExecutionContext, { dir }: Site, ref = 'HEAD') {
  const commits = gitIn(dir, 'log', `-${MANY}`, '--format=%x01', '--name-only', ref).split('\x01').slice(1);
  t.deepEqual([...new Set(commits.map((names) => names.trim().split('\n').length))], [1]);
  t.is(new Set(commits).size, MANY);
  t.is(gitIn(dir, 'rev-list', '--count', ref).trim(), String(2 + MANY));
}

test(`200: at level commit, ${MANY} articles are two batches: the first article, and all that came during its commit`, async (t) => {
  const site = await quietSite(t, { durability: 'commit', git: {} });
  const { git, dir } = site;
  git.hold();
  const first = site.publish();
  await until('the first article is about to be committed', git.isHeld);
  const others = Array.from({ length: MANY - 1 }, site.publish);
  // written and named, all of them: what is left to do is their commit
  await until(
    'all articles are stored',
    () => articleFiles(dir).length === 1 + MANY && debris(dir).length === 0,
  );
  await letGo(t, site, [first, ...others]);
  assertOneEach(t, site);
  for (const command of ['update-index', 'update-ref']) t.is(git.count(command), 2, command);
});

test(`200: at level push, ${MANY} articles are two pushes: the first article, and all that came during its push`, async (t) => {
  const site = await quietSite(t, { durability: 'push', git: { push: { fetchEvery: 3_600_000 } } });
  const { git } = site;
  git.hold();
  const first = site.publish();
  await until('the first article is about to be committed', git.isHeld);
  const others = Array.from({ length: MANY - 1 }, site.publish);
  await until('all articles wait for their push', () => site.waiting() === MANY);
  await letGo(t, site, [first, ...others]);
  assertOneEach(t, site, 'origin/main');
  t.is(git.count('push'), 2);
});
