import fs from 'node:fs';
import test from 'ava';
import { type Clones, gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import { article, update } from '../../../support/events.js';
import { runHere } from '../../../support/in-process.js';
import type { Receiver } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

// Three machines, each with a clone of one remote; `npm run torture` delivers to them at random and kills them.

const folder = makeTempDir();
const receivers: Receiver[] = [];
let clones: Clones;

test.serial.before(async () => {
  clones = makeRemote(folder);
  receivers.push(...(await Promise.all(['a', 'b', 'c'].map((name) => launchMachine(clones.clone(name))))));
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ kill }) => kill('SIGKILL')));
  removeTempDir(folder);
});

/** The machines in turn. */
function one(n: number): Receiver {
  const receiver = receivers[n % receivers.length];
  if (receiver === undefined) throw new Error('no receiver has started');
  return receiver;
}

/** The ids of the articles on the remote's branch, each as often as it is there. */
function idsOnRemote(): string[] {
  return [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '').sort();
}

/** Files, index and branch of every clone become those of the remote. */
async function everyCloneFollows(t: { is(actual: string, expected: string): void }): Promise<void> {
  const tip = clones.git('rev-parse', 'main').trim();
  for (const { dir } of receivers) {
    await until(
      'each clone follows the remote',
      () => gitIn(dir, 'rev-parse', 'HEAD').trim() === tip && gitIn(dir, 'status', '--porcelain') === '',
    );
    t.is(gitIn(dir, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main');
    t.is(gitIn(dir, 'fsck', '--full', '--no-dangling').trim(), '');
  }
}

test.serial(
  'status and doctor do not take a receiver that commits before its answers for one that commits nothing',
  async (t) => {
    for (const command of ['status', 'doctor']) {
      const { stdout } = await runHere([command, '--dir', one(0).dir]);
      t.regex(stdout, /✓ receiver|articles are committed to main/, command);
      t.notRegex(stdout, /commits nothing/, command);
    }
  },
);

test.serial('200: two receivers in one clone, as a rolling deploy has them, are two machines', async (t) => {
  const second = await launchMachine(one(0).dir);
  t.teardown(() => second.kill('SIGKILL'));
  const data = article();
  const answers = await Promise.all([one(0), second].map(({ post }) => post('article.published', data)));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  t.is(answers[0]?.text, answers[1]?.text);
  const { url } = answers[0]?.json ?? { url: '' };
  const { revision_id: base_revision_id } = await one(1).find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await second.post('article.updated', request)).status, 200);
  for (const receiver of receivers) t.is((await receiver.find(url)).revision_id, request.id);
  await second.stop();
  await everyCloneFollows(t);
});

test.serial(
  '200: what a killed machine has acknowledged stays, and a remote that is away is waited for',
  async (t) => {
    const before = article();
    const { url } = (await one(0).post('article.published', before)).json;
    await one(0).kill('SIGKILL');
    t.is((await one(1).find(url)).id, before.id);

    fs.renameSync(clones.remote, `${clones.remote}.away`);
    const meanwhile = article();
    const waiting = one(1).post('article.published', meanwhile);
    await until('the machine notices that the remote is away', () =>
      one(1).log.some(({ msg }) => msg === 'the git remote cannot be asked; tried again'),
    );
    fs.renameSync(`${clones.remote}.away`, clones.remote);
    const answer = await waiting;
    t.is(answer.status, 200);

    receivers[0] = await launchMachine(one(0).dir);
    t.is((await one(0).post('article.published', meanwhile)).text, answer.text);
    const ids = idsOnRemote();
    t.is(new Set(ids).size, ids.length);
    t.true(ids.includes(before.id) && ids.includes(meanwhile.id));
    await everyCloneFollows(t);
  },
);
