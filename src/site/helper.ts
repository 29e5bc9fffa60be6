import type { Worker } from 'node:worker_threads';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { HelpAnswer, HelpRequest } from './help-messages.js';

/** A second thread that helps with a large build. */
export interface Helper {
  /** @returns undefined where the thread has ended; whatever it was asked is then to be done by others. */
  ask<Is extends HelpAnswer['is']>(
    request: HelpRequest,
    is: Is,
  ): Promise<Extract<HelpAnswer, { is: Is }> | undefined>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Starts a helper, in whose thread `serveHelp` answers. */
export function startHelper(spawn: () => Worker, log: Log): Helper {
  let waiting: ((answer: HelpAnswer | undefined) => void)[] = [];
  let worker: Worker | undefined = spawn();
  worker.on('message', (answer: HelpAnswer) => waiting.shift()?.(answer));
  worker.on('error', (error) => end(messageOf(error)));
  worker.on('exit', () => end('it has ended'));

  function end(reason: string): void {
    if (worker === undefined) return;
    worker = undefined;
    log.warn({ reason }, 'the thread that helps to build pages has failed; the build goes on without it');
    const left = waiting;
    waiting = [];
    for (const resolve of left) resolve(undefined);
  }

  async function ask<Is extends HelpAnswer['is']>(request: HelpRequest, is: Is) {
    const answer = await new Promise<HelpAnswer | undefined>((resolve) => {
      if (worker === undefined) return resolve(undefined);
      waiting.push(resolve);
      worker.postMessage(request);
    });
    return answer?.is === is ? (answer as Extract<HelpAnswer, { is: Is }>) : undefined;
  }

  async function close(): Promise<void> {
    const open = worker;
    worker = undefined;
    await open?.terminate();
  }

  return { ask, close };
}
