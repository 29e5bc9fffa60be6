import fs from 'node:fs';
import { join } from 'node:path';

/**
 * Kills every process whose working directory, command line or environment contains the folder's path: the receivers
 * and the commands that they have started, also commands that have outlived their receiver. Needs /proc; without it,
 * nothing is killed.
 */
export function killProcessesIn(folder: string): void {
  // A process may start another one before it is killed.
  for (let round = 0; round < 50; round++) {
    const found = processesIn(folder);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has already ended
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

/** The ids of the processes that `killProcessesIn` kills. */
function processesIn(folder: string): number[] {
  if (!fs.existsSync('/proc/self/cmdline')) return [];
  const pids = fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  return pids.filter((pid) => belongsTo(folder, pid));
}

function belongsTo(folder: string, pid: number): boolean {
  const info = join('/proc', String(pid));
  const read = (work: () => string) => {
    try {
      return work();
    } catch {
      return ''; // it has ended, or belongs to another user
    }
  };
  // For a zombie (ended, but its parent has not waited for it) all three are empty.
  return [
    () => fs.readlinkSync(join(info, 'cwd')),
    () => fs.readFileSync(join(info, 'cmdline'), 'utf8'),
    () => fs.readFileSync(join(info, 'environ'), 'utf8'),
  ].some((work) => read(work).includes(folder));
}

/** The memory that a process uses (VmRSS), or has used at most (VmHWM); 0 if /proc does not have the process. */
export function megabytesOf(
  { pid }: { readonly pid: number | undefined },
  what: 'VmRSS' | 'VmHWM' = 'VmRSS',
): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_000);
  } catch {
    return 0;
  }
}
