import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { createDeployQueue, type DeployPauses, readDeployState } from '../../../src/deploy/deploy-queue.js';
import { PressmarkError } from '../../../src/errors.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const PAUSES: DeployPauses = { retryMs: 20, longestRetryMs: 40 };

/** A queue with one target, and what it was given. */
function setUp(
  t: ExecutionContext,
  {
    fails = (): boolean => false,
    onFailed = (): void => undefined,
    onDeployed = (): void => undefined,
    stateDir = tempDir(t),
    version = 'v1',
    pauses = PAUSES,
    everyMs = 0,
    folder = (): string | undefined => '/output',
  } = {},
) {
  const deployed: string[] = [];
  const order: string[] = [];
  const logged: { retryInMs: number; msg: string }[] = [];
  let present = version;
  const targets = [
    {
      name: 'toy',
      everyMs,
      deploy: async () => {
        order.push('deploy');
        await setTimeout(5);
        if (fails()) throw new Error('no');
      },
    },
  ];
  const queue = createDeployQueue({
    targets,
    source: { folder, version: () => present },
    stateDir,
    log: pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    onDeployed: () => {
      deployed.push(present);
      onDeployed();
    },
    onFailed,
    lock: {
      enter: async () => {
        order.push('enter');
        return true;
      },
      leave: () => order.push('leave'),
    },
    pauses,
  });
  t.teardown(queue.stop);
  queue.changed();
  const build = (next: string) => {
    present = next;
    queue.changed();
  };
  return { queue, targets, deployed, order, logged, build, stateDir };
}

test('what a deploy has is known to be there, also where the output has changed since it began', async (t) => {
  const ready = performance.now();
  let built = 1;
  const seen: boolean[] = [];
  const { queue, build } = setUp(t, { onDeployed: () => seen.push(queue.deployedUntil() >= ready) });
  t.false(queue.deployedUntil() >= ready);
  const timer = setInterval(() => build(`v${++built}`), 1);
  t.teardown(() => clearInterval(timer));
  await until('three deploys are done, each behind the output', () => seen.length >= 3);
  t.deepEqual(seen.slice(0, 3), [true, true, true]);
});

test('an output goes to a target that does not have it, while the lock is held', async (t) => {
  const { deployed, build, order } = setUp(t);
  await until('the present output is deployed', () => deployed.length === 1 && order.includes('leave'));
  t.deepEqual(order, ['enter', 'deploy', 'leave']);
  build('v1');
  build('v2');
  await until('the change is deployed', () => deployed.length === 2);
  t.deepEqual(deployed, ['v1', 'v2']);
});

test('what another receiver has deployed since the start is not deployed again', async (t) => {
  const one = setUp(t);
  await until('the present output is deployed', () => one.deployed.length === 1);
  const { build, deployed, order } = setUp(t, { stateDir: one.stateDir });
  await until('the other receiver has looked', () => order.length === 2);
  one.build('v2');
  await until('the change is deployed', () => one.deployed.length === 2);
  build('v2');
  await until('the other receiver has looked again', () => order.length === 4);
  t.deepEqual([order, deployed], [['enter', 'leave', 'enter', 'leave'], []]);
});

test('what another receiver has deployed to one target is not forgotten by a deploy to another one', async (t) => {
  const stateDir = tempDir(t);
  let version = 'v1';
  const deploy = async () => undefined;
  const queue = createDeployQueue({
    targets: [
      { name: 'a', deploy },
      { name: 'b', deploy, everyMs: 600_000 },
    ],
    source: { folder: () => '/output', version: () => version },
    stateDir,
    log: pino({ level: 'silent' }),
    onDeployed: () => undefined,
    onFailed: () => undefined,
  });
  t.teardown(queue.stop);
  const has = (name: string) => readDeployState(stateDir)[name]?.deployed?.version;
  queue.changed();
  await until('both have it', () => has('a') === 'v1' && has('b') === 'v1');
  const b = { deployed: { version: 'v2', at: '2126-11-01T00:00:00Z' }, attempts: 0 };
  fs.writeFileSync(join(stateDir, 'deploy.json'), JSON.stringify({ ...readDeployState(stateDir), b }));
  version = 'v2';
  queue.changed();
  await until('one has the next', () => has('a') === 'v2');
  t.is(has('b'), 'v2');
});

test('a deploy that had failed is tried again by the next start, also of an output that the target has', async (t) => {
  const stateDir = tempDir(t);
  const deployed = { version: 'v1', at: '2026-11-01T00:00:00Z' };
  const toy = { deployed, attempts: 3, error: 'the token has expired' };
  fs.writeFileSync(join(stateDir, 'deploy.json'), JSON.stringify({ toy }));
  setUp(t, { stateDir });
  await until('the error is gone', () => readDeployState(stateDir).toy?.attempts === 0);
  t.is(readDeployState(stateDir).toy?.error, undefined);
});

test('the error of a target that the config has no more goes with the next start', async (t) => {
  const stateDir = tempDir(t);
  const former = { hook: { attempts: 3, error: 'no', behindSince: '2026-11-01T00:00:00Z' } };
  fs.writeFileSync(join(stateDir, 'deploy.json'), JSON.stringify(former));
  const { deployed } = setUp(t, { stateDir, folder: () => undefined });
  await until('the error is gone', () => readDeployState(stateDir).hook === undefined);
  t.deepEqual(deployed, []);
});

test('the pauses after failures grow up to the longest', async (t) => {
  let isAway = false;
  let failures = 0;
  const onFailed = () => {
    if (++failures % 3 === 0) isAway = false;
  };
  const { deployed, logged, build } = setUp(t, { fails: () => isAway, onFailed });
  await until('the present output is deployed', () => deployed.length === 1);
  for (const version of ['v2', 'v3']) {
    isAway = true;
    build(version);
    await until('the change is deployed', () => deployed.at(-1) === version);
  }
  t.deepEqual(
    logged.map(({ retryInMs }) => retryInMs),
    [20, 40, 40, 20, 40, 40],
  );
});

test('what a remote declines is not called tried again', async (t) => {
  const { logged } = setUp(t, {
    fails: () => {
      throw new PressmarkError('REMOTE_DECLINED', 'a protected branch');
    },
  });
  await until('the log says so', () => logged.length > 0);
  t.is(logged[0]?.msg, 'the site could not be deployed; the remote does not allow it');
});

test('a build does not end the pause after a failed deploy, and the next attempt takes it in', async (t) => {
  const attempts: number[] = [];
  const { build, deployed } = setUp(t, {
    fails: () => {
      attempts.push(performance.now());
      return attempts.length === 1;
    },
    // Once the pause has begun, and before it is over, however busy the machine is.
    onFailed: () =>
      setImmediate(() => {
        for (const version of ['v2', 'v3']) build(version);
      }),
    pauses: { ...PAUSES, retryMs: 300, longestRetryMs: 300 },
  });
  await until('it is deployed', () => deployed.length > 0);
  const [first = 0, second = 0] = attempts;
  t.true(second - first >= 290, `the second attempt came after ${second - first} ms`);
  t.deepEqual(deployed, ['v3']);
});

test('between two deploys lies the time that the target asks for, also after a restart; changes in between are one deploy', async (t) => {
  const everyMs = 300;
  const first = setUp(t, { everyMs });
  await until('the present output is deployed', () => first.deployed.length === 1);
  await first.queue.stop();
  const last = Date.parse(readDeployState(first.stateDir).toy?.deployed?.at ?? '');
  const second = setUp(t, { everyMs, stateDir: first.stateDir });
  second.build('v2');
  second.build('v3');
  await until('the changes are deployed', () => second.deployed.length === 1);
  t.true(Date.now() - last >= everyMs);
  t.deepEqual(second.deployed, ['v3']);
});

test('a person who wants a deploy now does not wait for the pause after a failure, nor for a change', async (t) => {
  let isAway = true;
  const pauses = { ...PAUSES, retryMs: 3_600_000, longestRetryMs: 3_600_000 };
  let failures = 0;
  const { queue, targets, deployed } = setUp(t, {
    fails: () => isAway,
    onFailed: () => void failures++,
    pauses,
  });
  await until('the deploy has failed', () => failures === 1);
  queue.deployNow(targets);
  await until('it has failed again', () => failures === 2);
  isAway = false;
  queue.deployNow(targets);
  await until('the output is deployed', () => deployed.length === 1);
  queue.deployNow(targets);
  await until('it is deployed again', () => deployed.length === 2);
  t.is(failures, 2);
});

test('a deploy that is asked for before there is anything to deploy follows as soon as there is, also if the target has it', async (t) => {
  const first = setUp(t);
  await until('the present output is deployed', () => first.deployed.length === 1);
  await first.queue.stop();
  let isThere = false;
  const folder = () => (isThere ? '/output' : undefined);
  const { queue, targets, deployed, order, build } = setUp(t, { stateDir: first.stateDir, folder });
  queue.deployNow(targets);
  await setTimeout(50);
  t.false(order.includes('deploy'));
  isThere = true;
  build('v1');
  await until('it is deployed', () => deployed.length === 1);
});
