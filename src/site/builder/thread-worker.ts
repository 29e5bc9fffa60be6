import os from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import { collectGarbage } from '../../heap.js';
import type { Log } from '../../log.js';
import { BuildStopped } from './build-queue.js';
import type { Builder } from './builder.js';
import type { Answer, Outcome, Question, Request } from './thread-client.js';

/** How much less this thread gets than the one that answers deliveries. */
const NICENESS = 10;

/** After so long without a request, nobody waits for a collection of garbage, in milliseconds. */
const IDLE_MS = 3_000;

/**
 * Answers the main thread's requests for builds; runs in the builder's thread, whose log writes for itself.
 * The thread ends when it is told to close.
 */
export function serveBuilds(port: MessagePort, builder: Builder, log: Log): void {
  yieldToDeliveries(log);
  let garbageTimer: NodeJS.Timeout | undefined;
  port.on('message', ({ id, ...question }: Request) => {
    garbageTimer?.refresh();
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
      if (request.kind === 'pages')
        return { kind: 'pages', pages: await builder.newestPages(request.maxPages) };
      const { paths } = request;
      if (paths !== 'all') return { kind: 'built', report: await builder.buildChanged(paths) };
      const report = await builder.buildAll();
      garbageTimer ??= setTimeout(() => {
        garbageTimer = undefined;
        collectGarbage();
      }, IDLE_MS).unref();
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
