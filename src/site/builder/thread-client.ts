import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Answer, Answers, Question, Request } from './thread.js';

/** The main thread's handle of the builder's thread; see `createBuilderThread`. */
export type BuilderThread = ReturnType<typeof createBuilderThread>;

/** A question without an answer yet. */
interface Waiting {
  resolve(result: Answers[keyof Answers]): void;
  reject(error: Error): void;
}

/** Creates the handle of the builder's thread, which is started on demand, and again after a crash. */
export function createBuilderThread(spawn: () => Worker, log: Log) {
  let worker: Worker | undefined;
  const waiting = new Map<number, Waiting>();
  let questions = 0;
  let isClosed = false;

  function start(): Worker {
    const started = spawn();
    started.on('message', (answer: Answer) => {
      const { resolve, reject } = taken(answer.id) ?? {};
      if ('failed' in answer) reject?.(new Error(answer.failed));
      else resolve?.(answer.result);
    });
    started.on('messageerror', (error) => rejectAll(messageOf(error)));
    started.on('error', (error) => log.error({ err: error }, 'the thread that builds pages has crashed'));
    started.once('exit', (code) => {
      if (worker === started) worker = undefined;
      rejectAll(`the thread that builds pages ended with code ${code}`);
    });
    return started;
  }

  function taken(id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  }

  function rejectAll(reason: string): void {
    for (const id of [...waiting.keys()]) taken(id)?.reject(new Error(reason));
  }

  /** Asks the thread. Rejects if the thread fails or dies. */
  async function ask<Kind extends keyof Answers>(
    question: Question & { readonly kind: Kind },
  ): Promise<Answers[Kind]> {
    if (isClosed) throw new Error('the thread that builds pages is closed');
    worker ??= start();
    const id = ++questions;
    worker.postMessage({ id, ...question } satisfies Request);
    const result = await new Promise<Answers[keyof Answers]>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
    });
    return result as Answers[Kind];
  }

  /** Ends the thread after the requested builds, or by force after `ms` milliseconds. No other thread is started. */
  async function close(ms: number): Promise<void> {
    const open = worker;
    if (open === undefined) {
      isClosed = true;
      return;
    }
    const ended = new Promise<void>((resolve) => open.once('exit', () => resolve()));
    const deadline = setTimeout(() => {
      log.warn({ ms }, 'the thread that builds pages did not end in time and was stopped');
      void open.terminate();
    }, ms);
    ask({ kind: 'close' }).catch((err: unknown) => log.debug({ err }, 'the builder was not closed'));
    isClosed = true;
    await ended;
    clearTimeout(deadline);
  }

  return { ask, close, isOpen: () => worker !== undefined && !isClosed, isClosed: () => isClosed };
}
