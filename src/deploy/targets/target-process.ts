import { fork } from 'node:child_process';
import { childEnvironment } from '../../child-environment.js';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';

type Answer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs work on all files of an output in a child process of low priority. A site of 10,000 articles has 29,000 files, whose
 * system calls would block the thread that answers deliveries for seconds.
 *
 * @param module the module of the process, which calls `answerParent`.
 * @throws Error with the reason, or the signal's.
 */
export function inProcess<T>(module: URL, args: readonly string[], signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const child = fork(module, args, {
    execArgv: [],
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    signal,
    killSignal: 'SIGKILL',
  });
  return new Promise<T>((resolve, reject) => {
    child.once('message', (message) => {
      const answer = message as Answer<T>;
      if (answer.kind === 'done') resolve(answer.value);
      else reject(new Error(answer.reason));
    });
    child.on('error', reject);
    // The exit may be reported before the answer.
    child.once('disconnect', () => reject(new Error('the deploying process ended before it was done')));
  }).finally(() => child.kill('SIGKILL'));
}

/** Runs the work of a process that `inProcess` started, with its arguments, and sends the result. */
export async function answerParent<T>(work: (...args: string[]) => Promise<T>): Promise<void> {
  lowerPriority(process.pid); // deliveries go first
  process.once('disconnect', () => process.exit()); // the receiver was killed
  const answer = await work(...process.argv.slice(2)).then(
    (value): Answer<T> => ({ kind: 'done', value }),
    (error: unknown): Answer<T> => ({ kind: 'failed', reason: messageOf(error) }),
  );
  process.send?.(answer, () => process.disconnect());
}
