import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { SiteReport } from '../options.js';
import type { SearchPage } from '../search/pagefind.js';
import type { ListPages } from '../search/search.js';

/** What the main thread asks of the builder's; answers name the request's `id`, as they come in any order. */
export type Request = { readonly id: number } & Question;

/** A request without its number. */
export type Question =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly kind: 'build'; readonly paths: readonly string[] | 'all' }
  /** Lists the pages for the search; see `Builder.newestPages`. */
  | { readonly kind: 'pages'; readonly maxPages: number | undefined }
  /** Has builds rest much while deliveries come in fast, or no more; see `Builder.pace`. */
  | { readonly kind: 'pace'; readonly isBurst: boolean }
  /** Ends the thread; a build of everything is not waited for. */
  | { readonly kind: 'close' };

/** What the builder's thread answers, one for every request; and once, unasked, that it knows what was built last. */
export type Answer = { readonly id: number } & (Outcome | Loaded);

/** Sent when the thread has read what was built last and has built what an unclean stop had damaged, or could not. */
export interface Loaded {
  readonly kind: 'loaded';
  /** Whether the site stands whole: changes can be built before everything has been looked at. */
  readonly isWhole: boolean;
  /** See `Builder.isUndamaged`; on a full disk, pages can be served although nothing can be built. */
  readonly isUndamaged: boolean;
}

/** An answer without the number of its request. */
export type Outcome =
  | { readonly kind: 'built'; readonly report: SiteReport }
  | { readonly kind: 'pages'; readonly pages: readonly SearchPage[] | undefined }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The builder was closed in the midst of a build of everything. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'paced' }
  | { readonly kind: 'closed' };

/** How long a thread that is replaced may take to build the changes that wait, in milliseconds. */
const RENEW_MS = 5_000;

/** The builder's thread as the main thread sees it: started when needed, and again after a crash. */
export interface BuilderThread {
  /** Asks for a build. Never rejects; a thread that dies of it has `failed`. */
  build(paths: readonly string[] | 'all'): Promise<Outcome>;
  /** Lists the pages for the search; undefined where no thread runs that knows them. */
  readonly newestPages: ListPages;
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

  async function newestPages(maxPages: number | undefined) {
    const outcome = worker === undefined ? undefined : await ask({ kind: 'pages', maxPages });
    return outcome?.kind === 'pages' ? outcome.pages : undefined;
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
