import test from 'ava';
import { createBuildProcess } from '../../../../src/app/build/start-build-process.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a process that the system refuses is an answer, and so is the next one', async (t) => {
  const builds = createBuildProcess(tempDir(t), { LONG: 'x'.repeat(200_000) }); // Linux takes 128 KiB for one variable
  for (let n = 0; n < 2; n++) t.like(await builds.addresses(), { kind: 'error', reason: 'spawn E2BIG' });
  await builds.close();
});
