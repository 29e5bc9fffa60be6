import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { getPriority } from 'node:os';
import test from 'ava';
import { lowerPriority } from '../../../src/fs/process-priority.js';

test('a detached process stands back, and so does its session where the system divides the processor among sessions', async (t) => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const { pid } = child;
  if (pid === undefined) return t.fail('sleep could not be started');
  lowerPriority(pid);
  t.is(getPriority(pid), 10);
  const session = `/proc/${pid}/autogroup`;
  if (fs.existsSync(session)) t.regex(fs.readFileSync(session, 'utf8'), / nice 10$/m);
});
