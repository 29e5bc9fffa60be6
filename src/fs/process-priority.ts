import fs from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets other processes have the processor first. It is a courtesy, which a system may refuse, and the work is as right
 * without it.
 *
 * @param pid the leader of a session (a detached child, or a process that was started as one).
 * @param nice from 0 to 19. @default 19
 */
export function lowerPriority(pid: number, nice: number = constants.priority.PRIORITY_LOW): void {
  ifAllowed(() => setPriority(pid, nice));
  // Linux divides the processor among sessions before it looks at the processes of each (sched(7), autogroup).
  if (process.platform === 'linux') ifAllowed(() => fs.writeFileSync(`/proc/${pid}/autogroup`, String(nice)));
}

function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // the process has ended, or the system does not have or allow this
  }
}
