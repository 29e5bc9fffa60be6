import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { article } from '../../support/events.js';
import { freeSpace, onLinux } from '../../support/full-disk.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { toyConfig, writeToySite } from './toy-generator.js';

/** A build that says when it has begun, and goes on when it is told to. */
const PAUSED = `import fs from 'node:fs';
const { STEPS } = process.env;
fs.writeFileSync(STEPS + '/begun', '');
while (!fs.existsSync(STEPS + '/go')) await new Promise((resolve) => setTimeout(resolve, 20));
import('./toy.mjs');
`;

onLinux(
  '200: a full disk during a build or a deploy, and a kill during a build, leave the output and the release before; both follow once there is room, or the next receiver',
  async (t) => {
    const root = tempDir(t);
    const [site, steps, folder] = [join(root, 'site'), join(root, 'steps'), join(root, 'srv')];
    fs.mkdirSync(steps);
    writeToySite(site, {
      'paused.mjs': PAUSED,
      'content/.keep': '',
      'pressmark.config.mjs': toyConfig().replace(
        "build: 'node toy.mjs'",
        `git: false, build: 'STEPS=${steps} node paused.mjs', deploy: { folder: '${folder}' }`,
      ),
    });
    const go = join(steps, 'go');
    fs.writeFileSync(go, '');
    const options = { dir: site, env: { PRESSMARK_SITE_URL: '' } };
    const receiver = await startReceiver(t, options);
    const has = (output: string, id: string) => fs.existsSync(join(output, 'blog', id, 'index.html'));
    const current = join(folder, 'current');
    const publish = async (id: string) => {
      const { status, text } = await receiver.post('article.published', article({ id, slug: id }));
      t.is(status, 200, text);
    };
    await publish('one');
    await until('the first article is deployed', () => has(current, 'one'));

    // The program that builds the site cannot copy its output.
    await pausedBuild(() => publish('two'));
    const building = buildProcessOf(receiver);
    fillDisk(building);
    fs.writeFileSync(go, '');
    await until(
      'the failed build is logged',
      () => logged(receiver, 'the site could not be built').length > 0,
    );
    t.true(has(join(site, 'public'), 'one'));
    t.false(has(join(site, 'public'), 'two'));
    freeSpace({ pid: building });
    await until('the second article is deployed', () => has(current, 'two'));

    // The receiver cannot write the release.
    await pausedBuild(() => publish('three'));
    fillDisk(receiver.pid ?? 0);
    fs.writeFileSync(go, '');
    await until(
      'the failed deploy is logged',
      () => logged(receiver, 'the site could not be deployed').length > 0,
    );
    t.true(has(current, 'two'));
    t.false(has(current, 'three'));
    freeSpace(receiver);
    await until('the third article is deployed', () => has(current, 'three'));

    await pausedBuild(() => publish('four'));
    await receiver.kill('SIGKILL');
    t.true(has(join(site, 'public'), 'three'));
    t.false(has(join(site, 'public'), 'four'));
    fs.writeFileSync(go, '');
    await startHere(t, options);
    await until('the fourth article is deployed', () => has(current, 'four'));

    /** Waits until a build with the change has begun, and stands still. */
    async function pausedBuild(change: () => Promise<void>): Promise<void> {
      await until('no build runs', () => fs.existsSync(go));
      fs.rmSync(go);
      fs.rmSync(join(steps, 'begun'), { force: true });
      await change();
      await until('the build has begun', () => fs.existsSync(join(steps, 'begun')));
    }
  },
);

function logged(receiver: Receiver, beginning: string): unknown[] {
  return receiver.log.filter(({ msg }) => msg.startsWith(beginning));
}

/** The program that builds the site: the child of the receiver that runs `build-process.js`. */
function buildProcessOf({ pid }: Receiver): number {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const found = children.find((child) => commandOf(child).includes('build-process'));
  if (found === undefined) throw new Error('the receiver has no process that builds');
  return Number(found);
}

/** The command of a process; empty if it has ended, as one that takes a lock does at any moment. */
function commandOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** From now on each write of a process to a file fails, as on a full disk. */
function fillDisk(pid: number): void {
  execFileSync('prlimit', [`--pid=${pid}`, '--fsize=0:unlimited']);
}
