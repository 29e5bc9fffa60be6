import { fork } from 'node:child_process';
import { childEnvironment } from '../child-environment.js';
import { PressmarkError } from '../errors.js';
import type { DeployOutput } from './targets/target.js';

/** Something that is done with each file of an output. */
export type OutputTask = {
  /** The output folder, absolute. */
  readonly output: string;
} & (
  | {
      /** Makes a release, and removes old ones. @returns its folder */
      readonly kind: 'release';
      /** The folder of all releases, and the link to the present one; absolute. */
      readonly releases: string;
      readonly current: string;
    }
  | {
      /** Finds what has changed. @returns `OutputChanges` */
      readonly kind: 'changes';
      /** The file that says how the files were before, absolute. How they are now is written beside it, as `<listing>.next`. */
      readonly listing: string;
      /** Whether it counts; otherwise all files have changed. */
      readonly isKnown: boolean;
    }
);

/** The files that are new or changed since, and those that are gone; relative to the output, with forward slashes. */
export interface OutputChanges {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

export type OutputAnswer<Found> =
  | { readonly kind: 'done'; readonly found: Found; readonly skipped: readonly [link: string, why: string][] }
  | { readonly kind: 'failed'; readonly reason: string };

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
  });
  if (answer.kind === 'failed') throw new PressmarkError('DEPLOY_FAILED', answer.reason);
  for (const [link, why] of answer.skipped) onSkipped?.(link, why);
  return answer.found;
}
