import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { RenderAnswer, RenderRequest } from './render-messages.js';

/** A second thread that helps with a large build. */
export interface RenderWorker {
  /** @returns undefined where the thread has ended; whatever it was asked is then to be done by others. */
  ask<Kind extends RenderAnswer['kind']>(
    request: RenderRequest,
    kind: Kind,
  ): Promise<Extract<RenderAnswer, { kind: Kind }> | undefined>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Starts a helper, in whose thread `serveRenders` answers. */
export function startRenderWorker(spawn: () => Worker, log: Log): RenderWorker {
  let waiting: ((answer: RenderAnswer | undefined) => void)[] = [];
  let worker: Worker | undefined = spawn();
  worker.on('message', (answer: RenderAnswer) => waiting.shift()?.(answer));
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

  async function ask<Kind extends RenderAnswer['kind']>(request: RenderRequest, kind: Kind) {
    const answer = await new Promise<RenderAnswer | undefined>((resolve) => {
      if (worker === undefined) return resolve(undefined);
      waiting.push(resolve);
      worker.postMessage(request);
    });
    return answer?.kind === kind ? (answer as Extract<RenderAnswer, { kind: Kind }>) : undefined;
  }

  async function close(): Promise<void> {
    const open = worker;
    worker = undefined;
    await open?.terminate();
  }

  return { ask, close };
}
