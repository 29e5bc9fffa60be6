import fs from 'node:fs';
import { setPriority } from 'node:os';

/** The nice value: low enough that deliveries go first. With the lowest priority, work might never end on a busy machine. */
const NICE = 10;

/**
 * Lowers the priority of a process. Errors are ignored, as the system may refuse it.
 *
 * @param pid the leader of a session (a detached child, or a process that was started as one); on Linux, 0 for this thread
 *   alone.
 */
export function lowerPriority(pid: number): void {
  ifAllowed(() => setPriority(pid, NICE));
  // Linux divides processor time among sessions before it looks at the processes in each (sched(7), autogroup).
  if (process.platform === 'linux') ifAllowed(() => fs.writeFileSync(`/proc/${pid}/autogroup`, String(NICE)));
}

function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // the process has ended, or the system does not have or allow this
  }
}
