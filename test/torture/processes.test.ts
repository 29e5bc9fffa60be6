import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { tempDir } from '../support/temp-dir.js';
import { killProcessesIn, processesIn } from './processes.js';

const FOREVER = 'setInterval(() => undefined, 1_000); console.log("runs")';

test('processes that work in a folder or name it in their environment are killed, others live on', async (t) => {
  const folder = tempDir(t);
  const start = async (options: { cwd?: string; env?: NodeJS.ProcessEnv }) => {
    const child = spawn(process.execPath, ['-e', FOREVER], {
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

  const ends = [once(within, 'exit'), once(named, 'exit')];
  killProcessesIn(folder);
  t.deepEqual(await Promise.all(ends), [
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  t.deepEqual(processesIn(folder), []);
  t.is(other.exitCode ?? other.signalCode, null);
});
