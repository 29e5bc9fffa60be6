import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuildProcess } from '../../../../src/app/build/start-build-process.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test('a process that the system refuses is an answer, and so is the next one', async (t) => {
  const builds = createBuildProcess(tempDir(t), { LONG: 'x'.repeat(200_000) }); // Linux takes 128 KiB for one variable
  for (let n = 0; n < 2; n++) t.like(await builds.addresses(), { kind: 'error', reason: 'spawn E2BIG' });
  await builds.close();
});

/**
 * Loaded into the process before its own code. The first one cuts itself off once it has answered, and ends when there is a
 * second one, which answers when the first has gone.
 */
const PRELOADED = `
  import fs from 'node:fs';
  const [first, second, cutOff] = ['first', 'second', 'cut off'].map((name) => new URL(name, import.meta.url));
  const send = process.send.bind(process);
  const isFirst = !fs.existsSync(first);
  fs.writeFileSync(isFirst ? first : second, String(process.pid));
  if (isFirst) {
    const once = process.once.bind(process);
    process.once = (name, listener) => (name === 'disconnect' ? process : once(name, listener));
    once('disconnect', () => fs.writeFileSync(cutOff, ''));
    process.send = (answer) => send(answer, () => process.disconnect());
    const waiting = setInterval(() => fs.existsSync(second) && clearInterval(waiting), 20);
  } else {
    process.send = (answer) => {
      try {
        process.kill(Number(fs.readFileSync(first, 'utf8')), 0);
        setTimeout(() => process.send(answer), 20);
      } catch {
        send(answer);
      }
    };
  }
`;

test('a process that another has replaced does not answer what that one is asked', async (t) => {
  const dir = tempDir(t);
  const preloaded = join(dir, 'preloaded.mjs');
  fs.writeFileSync(preloaded, PRELOADED);
  const builds = createBuildProcess(dir, { ...process.env, NODE_OPTIONS: `--import ${preloaded}` });
  const answer = await builds.addresses();
  await until('the process is cut off', () => fs.existsSync(join(dir, 'cut off')));
  t.like(await builds.addresses(), { kind: 'error' });
  t.deepEqual(await builds.addresses(), answer);
  await builds.close();
});
