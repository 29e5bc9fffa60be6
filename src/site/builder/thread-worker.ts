import os from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { type Builder, BuildStopped } from './builder.js';
import type { Answer, Outcome, Question, Request } from './thread-client.js';

/** How much less this thread gets than the one that answers deliveries. */
const NICENESS = 10;

/**
 * Answers the main thread's requests for builds; runs in the builder's thread, whose log writes for itself.
 * The thread ends when it is told to close.
 */
export function serveBuilds(port: MessagePort, builder: Builder, log: Log): void {
  yieldToDeliveries(log);
  port.on('message', ({ id, ...question }: Request) => {
    // Never rejects.
    void answer(question).then((outcome) => {
      port.postMessage({ id, ...outcome } satisfies Answer);
      if (outcome.kind === 'closed') port.close();
    });
  });

  async function answer(request: Question): Promise<Outcome> {
    try {
      if (request.kind === 'close') {
        await builder.close();
        return { kind: 'closed' };
      }
      if (request.kind === 'pace') {
        builder.pace(request.isBurst);
        return { kind: 'paced' };
      }
      const { paths } = request;
      const report = paths === 'all' ? await builder.buildAll() : await builder.buildChanged(paths);
      return { kind: 'built', report };
    } catch (error) {
      if (error instanceof BuildStopped) return { kind: 'stopped' };
      log.error({ err: error }, 'build failed');
      return { kind: 'failed', reason: messageOf(error) };
    }
  }
}

function yieldToDeliveries(log: Log): void {
  // Only Linux has priorities per thread; elsewhere this would slow down the whole process.
  if (process.platform !== 'linux') return;
  try {
    os.setPriority(0, NICENESS);
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the builder keeps its priority');
  }
}
