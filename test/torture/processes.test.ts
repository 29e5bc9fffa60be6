import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { tempDir } from '../support/temp-dir.js';
import { killProcessesIn, processesIn } from './processes.js';

const ENDLESS_PROGRAM = 'setInterval(() => undefined, 1_000); console.log("runs")';

test('processes that run in a folder or have it in their environment are killed, others keep running', async (t) => {
  const folder = tempDir(t);
  const start = async (options: { cwd?: string; env?: NodeJS.ProcessEnv }) => {
    const child = spawn(process.execPath, ['-e', ENDLESS_PROGRAM], {
      ...options,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  };
  const within = await start({ cwd: folder });
  const named = await start({ env: { TMPDIR: folder } });
  const other = await start({});
  t.deepEqual(new Set(processesIn(folder)), new Set([within.pid, named.pid]));

  const exits = [once(within, 'exit'), once(named, 'exit')];
  killProcessesIn(folder);
  t.deepEqual(await Promise.all(exits), [
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  t.deepEqual(processesIn(folder), []);
  t.is(other.exitCode ?? other.signalCode, null);
});
