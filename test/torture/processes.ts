import fs from 'node:fs';
import { join } from 'node:path';

/**
 * Kills every process that works in a folder or was started for it: whose working directory, command or environment
 * names the folder. Receivers are killed with the commands they have started, also with those that outlived them.
 * Needs /proc; elsewhere it kills nothing.
 */
export function killProcessesIn(folder: string): void {
  // What is killed may have started something meanwhile.
  for (let round = 0; round < 50; round++) {
    const found = processesIn(folder);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

/** The processes of a folder that still run. */
export function processesIn(folder: string): number[] {
  if (!fs.existsSync('/proc/self/cmdline')) return [];
  const pids = fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  return pids.filter((pid) => isFor(folder, pid));
}

function isFor(folder: string, pid: number): boolean {
  const about = join('/proc', String(pid));
  const read = (work: () => string) => {
    try {
      return work();
    } catch {
      return ''; // it has ended, or is somebody else's
    }
  };
  // A process that has ended and that nobody has waited for yet has neither.
  return [
    () => fs.readlinkSync(join(about, 'cwd')),
    () => fs.readFileSync(join(about, 'cmdline'), 'utf8'),
    () => fs.readFileSync(join(about, 'environ'), 'utf8'),
  ].some((work) => read(work).includes(folder));
}
