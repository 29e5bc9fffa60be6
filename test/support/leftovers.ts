// Loaded by AVA in each of its processes. A test that fails may leave a receiver, a browser or a server behind, and AVA would
// wait for them until its time limit: here the process ends with its tests, and what it has started ends with it.
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { registerCompletionHandler } from 'ava';

const children = new Set<ChildProcess>();
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  children.add(child);
  child.once('exit', () => children.delete(child));
});

process.on('exit', () => {
  for (const { pid } of children) {
    if (pid === undefined) continue;
    // The group of one that leads its own, as a web server with its workers does; then the process itself.
    for (const target of [-pid, pid])
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // There is no such group, or the process has just ended.
      }
  }
});
registerCompletionHandler(() => process.exit());
