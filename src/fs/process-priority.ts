import fs from 'node:fs';
import { setPriority } from 'node:os';

/** Enough that deliveries go first. With the lowest priority, work would not end on a machine whose processors are busy. */
const NICE = 10;

/**
 * Lets other processes have the processor first. It is a courtesy, which a system may refuse, and the work is as right
 * without it.
 *
 * @param pid the leader of a session (a detached child, or a process that was started as one); on Linux, 0
 *   for this thread alone.
 */
export function lowerPriority(pid: number): void {
  ifAllowed(() => setPriority(pid, NICE));
  // Linux divides the processor among sessions before it looks at the processes of each (sched(7), autogroup).
  if (process.platform === 'linux') ifAllowed(() => fs.writeFileSync(`/proc/${pid}/autogroup`, String(NICE)));
}

function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // the process has ended, or the system does not have or allow this
  }
}
