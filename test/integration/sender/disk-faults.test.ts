import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { createWorker } from '../../../src/sender/queue/worker.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { createFaults, type Faults } from '../../support/faults.js';
import { run } from '../../support/receiver.js';
import { connected, makeEntry, testLog, testQueue } from '../../support/sender.js';

/** A sender's folder with one delivery that is due, and the program under faults. */
async function set(t: ExecutionContext, during: (faults: Faults) => void = () => undefined) {
  const faults = createFaults(t);
  const endpoint = await startEndpoint(t, (got, response) => {
    during(faults);
    return reply(200, { received: true, url: 'https://g.example/a' })(got, response);
  });
  const { state, connector } = await connected(t, endpoint.url);
  const entry = makeEntry(connector, 'a');
  const queue = testQueue(t, state, Date.now);
  await queue.add([entry]);
  queue.close();
  const { env, preload } = faults.options;
  const sender = (...args: string[]) =>
    run([...args, '--dir', state.dir], { ...env, NODE_OPTIONS: `--import ${preload}` });
  /** What `work --once` does, in this process and without faults. */
  const sendDue = () =>
    createWorker({ state, queue: testQueue(t, state, Date.now), log: testLog().log }).sendDue();
  const stored = () => queue.read(entry.id)?.record;
  return { faults, endpoint, state, sender, sendDue, stored, id: entry.id };
}

for (const [what, rule] of [
  ['a full disk', { call: 'write', path: '/deliveries/', code: 'ENOSPC', halfway: true }],
  ['a disk that fails', { call: 'fsync', path: '/deliveries/', code: 'EIO' }],
] as const) {
  test(`${what}: nothing is sent, the record stands as before, and it goes on by itself`, async (t) => {
    const { faults, endpoint, state, sender, sendDue, stored } = await set(t);
    const before = stored();
    faults.set(rule);
    const failed = await sender('work', '--once');
    t.is(failed.code, 1);
    t.regex(
      failed.stderr,
      new RegExp(`the queue in .* cannot be written: .*${rule.code}.*run the same command again`),
    );
    t.notRegex(failed.stderr, /\n {4}at /, 'no stack');
    t.is(endpoint.got.length, 0);
    t.deepEqual(stored(), before);
    t.deepEqual(fs.readdirSync(state.deliveries).length, 1, 'nothing half-written is left');
    faults.clear();
    await sendDue();
    t.is(endpoint.got.length, 1);
    t.is(stored()?.status, 'success');
  });
}

test('a claim is on the disk before its request goes out: after a power cut the same bytes are sent', async (t) => {
  let steps: string[] = [];
  const { sender } = await set(t, ({ trace }) => {
    steps = trace().map(({ call, paths }) => `${call} ${paths.at(-1)?.replace(/.*\.pressmark-sender/, '')}`);
  });
  t.is((await sender('work', '--once')).code, 0);
  const written = steps.findIndex((step) => /^fsync \/deliveries\/.*\.tmp$/.test(step));
  t.true(written !== -1 && steps.indexOf('fsync /deliveries') > written, steps.join('\n'));
});

test('what a person says is on the disk when the command ends: a power cut does not send a cancelled delivery', async (t) => {
  const { faults, sender, id } = await set(t);
  t.is((await sender('deliveries', 'cancel', id)).code, 0);
  const steps = faults.trace().map(({ call, paths }) => `${call} ${paths.at(-1)?.replace(/.*\//, '')}`);
  const written = steps.findIndex((step) => /^fsync .*\.tmp$/.test(step));
  t.true(written !== -1 && steps.indexOf('fsync deliveries') > written, steps.join('\n'));
});

test('an outcome that cannot be stored: the delivery counts as being sent, and is sent again after ten minutes', async (t) => {
  const { endpoint, state, sender, sendDue, stored } = await set(t, ({ set: fail }) =>
    fail({ call: 'write', path: '/deliveries/', code: 'ENOSPC' }),
  );
  const failed = await sender('work', '--once');
  t.is(failed.code, 1);
  t.regex(failed.stderr, /cannot be written: .*ENOSPC/);
  t.is(endpoint.got.length, 1);
  t.like(stored(), { status: 'sending', attempts: 1 });
  await sendDue();
  t.is(endpoint.got.length, 1);
  const later = testQueue(t, state, () => Date.now() + 600_000);
  t.is((await later.due()).length, 1);
});
