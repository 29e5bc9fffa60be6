import os from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { type Builder, BuildStopped } from './builder.js';
import type { Answer, Outcome, Question, Request } from './client.js';

/** How much less this thread gets than the one that answers deliveries. */
const NICENESS = 10;

/**
 * Answers the main thread's requests for builds; runs in the builder's thread, whose log writes for itself.
 *
 * @param onClosed called after the request to close; ends the thread.
 */
export function serveBuilds(
  port: MessagePort,
  builder: Pick<Builder, 'build' | 'pages' | 'preview' | 'close'>,
  log: Log,
  onClosed: () => void,
): void {
  lowerPriority(log);
  port.on('message', ({ id, ...question }: Request) => {
    // Never rejects.
    void answer(question).then((outcome) => {
      if (outcome === 'closed') onClosed();
      else port.postMessage({ id, ...outcome } satisfies Answer);
    });
  });

  async function answer(request: Question): Promise<Outcome | 'closed'> {
    try {
      if (request.kind === 'build') return { kind: 'built', report: await builder.build(request.paths) };
      if (request.kind === 'pages') return { kind: 'pages', pages: builder.pages() };
      if (request.kind === 'preview')
        return { kind: 'preview', html: await builder.preview(request.path, request.text) };
      await builder.close();
      return 'closed';
    } catch (error) {
      if (error instanceof BuildStopped) return { kind: 'stopped' };
      log.debug({ err: error }, 'build failed');
      return { kind: 'failed', reason: messageOf(error) };
    }
  }
}

function lowerPriority(log: Log): void {
  // Only Linux has priorities per thread; elsewhere this would slow down the whole process.
  if (process.platform !== 'linux') return;
  try {
    os.setPriority(0, NICENESS);
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the builder keeps its priority');
  }
}
