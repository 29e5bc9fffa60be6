import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuildProcess } from '../../../../src/app/build/start-build-process.js';
import { generatorSite } from '../../../support/generator-site.js';
import { bareEnvironment, SITE_URL } from '../../../support/receiver.js';
import { SECRET } from '../../../support/signer.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test('a process that the system refuses is an answer, and so is the next one', async (t) => {
  const builds = createBuildProcess(tempDir(t), { LONG: 'x'.repeat(200_000) }); // Linux takes 128 KiB for one variable
  for (let n = 0; n < 2; n++) t.like(await builds.addresses(), { kind: 'error', reason: 'spawn E2BIG' });
  await builds.close();
});

test('a process that closes its channel before it answers, and goes on, is ended', async (t) => {
  const dir = tempDir(t);
  const preloaded = join(dir, 'preloaded.mjs');
  fs.writeFileSync(
    preloaded,
    `const once = process.once.bind(process);
     process.once = (name, listener) => (name === 'disconnect' ? process : once(name, listener));
     process.send = () => true;
     process.on('message', () => setImmediate(() => process.disconnect()));
     setInterval(() => undefined, 60_000);`,
  );
  const builds = createBuildProcess(dir, { ...process.env, NODE_OPTIONS: `--import ${preloaded}` });
  const answer = await builds.addresses();
  t.like(answer, { kind: 'error', reason: 'the build process ended with SIGKILL' });
  await builds.close();
});

test('a process that closes its channel during a build has the time to end it in good order', async (t) => {
  const dir = tempDir(t);
  const [started, preloaded] = [join(dir, 'started'), join(dir, 'preloaded.mjs')];
  const build = `trap '' TERM; echo > '${started}'; while :; do sleep 0.1; done`;
  generatorSite(dir, 'hugo', { config: { build } });
  fs.writeFileSync(
    preloaded,
    `import { existsSync } from 'node:fs';
     const timer = setInterval(() => {
       if (!existsSync('${started}')) return;
       clearInterval(timer);
       process.disconnect();
     }, 20);`,
  );
  const builds = createBuildProcess(dir, {
    ...bareEnvironment(),
    PRESSMARK_SECRET: SECRET,
    PRESSMARK_SITE_URL: SITE_URL,
    NODE_OPTIONS: `--import ${preloaded}`,
  });
  t.teardown(builds.close);
  // A second remains when the build has used its time: a process that stands still for longer is killed, and another one begun.
  await until('a process ends the build in good order, and nobody has killed it', async () => {
    fs.rmSync(started, { force: true });
    const answer = await builds.build({ lastStateChange: 0, isForced: true });
    t.is(answer.kind, 'error');
    return answer.kind === 'error' && answer.reason === 'the build process ended with exit code 0';
  });
});
