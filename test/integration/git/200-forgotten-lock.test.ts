import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { type Receiver, run, SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// A killed git leaves its lock files for ever. At level commit, the answers must not wait for them again and again.

const PARKED = 'refs/pressmark/parked';

interface Site {
  readonly dir: string;
  readonly receiver: Receiver;
  /** The articles whose commits are on a ref, the oldest first. */
  ids(ref: string): string[];
  /** How many commits on the branch were tried since the last call. */
  attemptsOnBranch(): number;
  /** Publishes an article until it is acknowledged: a very busy machine may answer 503. @returns its id. */
  publish(): Promise<string>;
}

async function startSite(t: ExecutionContext): Promise<Site> {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitignore'), '.gitconfig\n');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false, "durability": "commit" }');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const bin = tempDir(t);
  const calls = join(bin, 'calls');
  const { PATH = '' } = process.env;
  const script = `#!/bin/sh\nPATH='${PATH}'\ncase "$*" in *update-index*) echo >> '${calls}';; esac\nexec git "$@"\n`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const receiver = await launchIn(dir, { env: { PATH: `${bin}:${PATH}` } });
  t.teardown(() => receiver.kill('SIGKILL'));
  let attemptsBefore = 0;
  return {
    dir,
    receiver,
    ids: (ref) =>
      gitIn(dir, 'log', '--reverse', '--format=%(trailers:key=Article-Id,valueonly,separator=%x2C)', ref)
        .split('\n')
        .filter((line) => line !== ''),
    attemptsOnBranch: () => {
      const attempts = fs.readFileSync(calls, 'utf8').length;
      const count = attempts - attemptsBefore;
      attemptsBefore = attempts;
      return count;
    },
    publish: async () => {
      const data = article();
      await until('the article is acknowledged', async () => {
        return (await receiver.post('article.published', data)).status === 200;
      });
      return data.id;
    },
  };
}

async function publishAll(site: Site, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await site.publish());
  return ids;
}

async function untilOnBranch(t: ExecutionContext, site: Site, ids: readonly string[]): Promise<void> {
  await until('what was parked is on the branch', () => gitIn(site.dir, 'for-each-ref', PARKED) === '');
  t.deepEqual(site.ids('main'), ids);
  t.is(gitIn(site.dir, 'status', '--porcelain'), '');
}

for (const name of ['index.lock', 'refs/heads/main.lock', 'HEAD.lock'])
  test(`200: while another program has forgotten its ${name}, each article is parked at once`, async (t) => {
    const site = await startSite(t);
    const first = await publishAll(site, 1);
    const lock = join(site.dir, '.git', name);
    fs.writeFileSync(lock, 'somebody');
    const second = await site.publish();
    t.deepEqual(site.ids(PARKED), [second]);
    site.attemptsOnBranch();
    const others = await publishAll(site, 5);
    t.is(site.attemptsOnBranch(), 0, 'no commit was tried on the branch in vain');
    t.deepEqual(site.ids(PARKED), [second, ...others]);
    t.is(fs.readFileSync(lock, 'utf8'), 'somebody');
    t.deepEqual(
      site.receiver.log.filter(({ msg }) => msg.startsWith('commits wait')).map(({ msg }) => msg),
      [`commits wait for another program to let go of .git/${name}; if no git command is running, remove it`],
    );
    const longAgo = new Date(Date.now() - 60_000);
    fs.utimesSync(lock, longAgo, longAgo);
    const doctor = await run(['doctor', '--dir', site.dir], { PRESSMARK_SITE_URL: SITE_URL, HOME: site.dir });
    t.true(doctor.stdout.includes(`commits are parked while .git/${name} is there`), doctor.stdout);
    fs.rmSync(lock);
    await untilOnBranch(t, site, [...first, second, ...others]);
  });

test('200: while another program has forgotten its packed-refs.lock, what was parked does not keep the answers', async (t) => {
  const site = await startSite(t);
  gitIn(site.dir, 'checkout', '--quiet', '--detach');
  const first = await publishAll(site, 1);
  const lock = join(site.dir, '.git', 'packed-refs.lock');
  fs.writeFileSync(lock, 'somebody');
  gitIn(site.dir, 'checkout', '--quiet', 'main');
  const others = await publishAll(site, 3);
  t.is(fs.readFileSync(lock, 'utf8'), 'somebody');
  fs.rmSync(lock);
  await untilOnBranch(t, site, [...first, ...others]);
});
