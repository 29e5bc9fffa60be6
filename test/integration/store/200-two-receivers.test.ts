import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Answer } from '../../support/client.js';
import { articleFiles, debris, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type Rule, sharedFaults } from '../../support/faults.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// Two receivers on one site.
const dir = makeTempDir();
const faults = { first: sharedFaults(), second: sharedFaults() };
let first: Receiver;
let second: Receiver;

test.serial.before(async () => {
  [first, second] = await Promise.all([
    launch(dir, faults.first.options),
    launch(dir, faults.second.options),
  ]);
});
test.after.always(async () => {
  for (const receiver of [first, second]) await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

/** The letter by which the system names a process's state; T is stopped. */
function stateOf(pid: number | undefined): string {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

/** Whether the kernel keeps a child of this process waiting for a lock. */
function isKeptWaiting({ pid }: Receiver): boolean {
  const waiting = fs.readFileSync('/proc/locks', 'utf8').matchAll(/^\d+: -> FLOCK\s+\S+\s+\S+ (\d+) /gm);
  return [...waiting].some(([, child]) => {
    try {
      return new RegExp(`^PPid:\\t${pid}$`, 'm').test(fs.readFileSync(`/proc/${child}/status`, 'utf8'));
    } catch {
      return false; // it has ended since
    }
  });
}

/** Waits until a receiver has stopped itself where its rule says so, inside the lock. */
async function untilStopped(t: ExecutionContext, receiver: Receiver): Promise<void> {
  t.teardown(() => receiver.signal('SIGCONT'));
  await until('the receiver that holds the lock is stopped', () => stateOf(receiver.pid) === 'T');
}

const STOP_AT_LINK: Omit<Rule, 'name'> = {
  call: 'link',
  path: '\\.tmp$',
  stop: true,
  when: 'after',
  times: 1,
};

test.serial(
  '200-published: a receiver that is stopped just after it has named its file keeps the lock, and the other one waits',
  async (t) => {
    const data = article();
    faults.first.set(STOP_AT_LINK);
    const stopped = first.post('article.published', data);
    await untilStopped(t, first);
    let early: Answer | undefined;
    const waiting = second.post('article.published', data).then((answer) => {
      early = answer;
      return answer;
    });
    await until(
      'the other receiver waits for the lock of the kernel, or has answered without it',
      () => early !== undefined || isKeptWaiting(second),
    );
    // On a busy machine it may have given up waiting for it: then nothing is stored, and the delivery is sent again.
    if (early?.status !== 503)
      t.is(early?.text, undefined, 'nobody else may write while the first one is inside');
    first.signal('SIGCONT');

    const answer = await waiting;
    const answers = [
      await stopped,
      answer.status === 503 ? await second.post('article.published', data) : answer,
    ];
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
      answers.map(({ text }) => text).join(),
    );
    t.is(answers[0]?.text, answers[1]?.text);
    t.truthy(fileOf(dir, data.id), 'one file carries its id');
    t.deepEqual(await debris(dir), []);
  },
);

test.serial(
  '200: the state folder may be removed before each request, and nothing is lost or stored twice',
  async (t) => {
    const remove = () => removeTempDir(join(dir, '.pressmark'));
    const turns: [Receiver, Receiver][] = [
      [first, second],
      [second, first],
    ];
    for (const [one, other] of turns) {
      const before = articleFiles(dir).length;
      const data = article();
      remove();
      const { status, text, json } = await one.post('article.published', data);
      t.is(status, 200, text);
      for (const receiver of [one, other, one])
        t.is((await receiver.post('article.published', data)).text, text);
      t.is(articleFiles(dir).length, before + 1);

      remove();
      const { revision_id: base_revision_id } = await other.find(json.url);
      remove();
      const request = update({ target_id: data.id, target_url: json.url, base_revision_id });
      t.is((await one.post('article.updated', request)).status, 200);
      remove();
      t.is((await other.post('article.published', data)).text, text);
      t.is((await other.find(json.url)).revision_id, request.revision_id);
    }
  },
);
