import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { SearchPage } from '../search/search-pages.js';
import type { Answer, Outcome, Question, Request } from './thread-messages.js';

/** An old thread builds only the changes that wait. */
const RENEW_MS = 5_000;

/** The builder's thread as the main thread sees it: started when needed, and again after a crash. */
export interface BuilderThread {
  /** Asks for a build. Never rejects; a thread that dies of it has `failed`. */
  build(paths: readonly string[] | 'all'): Promise<Outcome>;
  /** Asks for the newest pages as they were built last; undefined where the thread has built nothing yet. */
  newestPages(count: number): Promise<readonly SearchPage[] | undefined>;
  /** Has builds rest much while deliveries come in fast, or no more. */
  pace(isBurst: boolean): void;
  /** Ends the thread, and has the next build made by a new one, which is spawned with what is known then. */
  renew(): void;
  /** Ends the thread when the changes that wait are built, or by force after `ms`. */
  close(ms: number): Promise<void>;
}

/** A thread that is not started yet. */
export function createBuilderThread(spawn: () => Worker, log: Log): BuilderThread {
  let worker: Worker | undefined;
  /** Until this, a thread that was told to end has not ended yet. */
  let retiring = Promise.resolve();
  /** Who waits for an answer, by the number of the request. */
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let requests = 0;

  function start(): Worker {
    const started = spawn();
    started.on('message', settle);
    started.on('messageerror', (error) => failAll(messageOf(error)));
    started.on('error', (error) => log.error({ err: error }, 'the thread that builds pages has crashed'));
    started.on('exit', (code) => {
      if (worker === started) worker = undefined;
      failAll(`the thread that builds pages ended with code ${code}`);
    });
    return started;
  }

  function settle({ id, ...outcome }: Answer): void {
    if (outcome.kind === 'loaded') return; // whoever has started the thread early waits for that
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  }

  function failAll(reason: string): void {
    for (const id of [...waiting.keys()]) settle({ id, kind: 'failed', reason });
  }

  function ask(question: Question): Promise<Outcome> {
    const id = ++requests;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      try {
        worker ??= start();
        worker.postMessage({ id, ...question } satisfies Request);
      } catch (error) {
        settle({ id, kind: 'failed', reason: messageOf(error) });
      }
    });
  }

  async function build(paths: readonly string[] | 'all'): Promise<Outcome> {
    await retiring;
    return ask({ kind: 'build', paths });
  }

  async function newestPages(count: number): Promise<readonly SearchPage[] | undefined> {
    if (worker === undefined) return undefined; // another one, which has built nothing yet
    const answer = await ask({ kind: 'name', newest: count });
    return answer.kind === 'named' ? answer.pages : undefined;
  }

  function pace(isBurst: boolean): void {
    if (worker !== undefined) void ask({ kind: 'pace', isBurst });
  }

  async function close(ms: number): Promise<void> {
    const open = worker;
    if (open === undefined) return;
    const ended = new Promise<void>((resolve) => open.once('exit', () => resolve()));
    const deadline = setTimeout(() => {
      log.warn('the thread that builds pages was stopped in the middle of a build');
      void open.terminate();
    }, ms);
    open.postMessage({ id: 0, kind: 'close' } satisfies Request);
    await ended;
    clearTimeout(deadline);
  }

  function renew(): void {
    retiring = retiring.then(() => close(RENEW_MS));
  }

  return { build, newestPages, pace, renew, close };
}
