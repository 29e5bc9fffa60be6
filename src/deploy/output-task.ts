import { fork } from 'node:child_process';
import { childEnvironment } from '../child-environment.js';
import { PressmarkError } from '../errors.js';
import type { OutputAnswer, OutputTask } from './output-process.js';
import type { DeployOutput } from './targets/target.js';

/**
 * Has all files of an output gone through by a process of its own, which leaves the processor to deliveries: a site of 10,000
 * articles has 29,000 files, and that many calls of the system take seconds of the thread that answers.
 *
 * @throws PressmarkError DEPLOY_FAILED; the signal's reason.
 */
export async function goThroughOutput<Found>(
  task: OutputTask,
  onSkipped: DeployOutput['onSkipped'],
  signal: AbortSignal,
): Promise<Found> {
  signal.throwIfAborted();
  const child = fork(new URL('./output-process.js', import.meta.url), {
    execArgv: [],
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    signal,
    killSignal: 'SIGKILL',
  });
  const answer = await new Promise<OutputAnswer<Found>>((resolve, reject) => {
    child.once('message', resolve);
    child.on('error', reject);
    // Its exit may be seen before its answer.
    child.once('disconnect', () =>
      resolve({ kind: 'failed', reason: 'the process that reads the output has ended without an answer' }),
    );
    child.send(task);
  }).finally(() => child.kill('SIGKILL'));
  if (answer.kind === 'failed') throw new PressmarkError('DEPLOY_FAILED', answer.reason);
  for (const [link, why] of answer.skipped) onSkipped?.(link, why);
  return answer.found;
}
