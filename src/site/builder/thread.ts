import os from 'node:os';
import type { MessagePort, Worker } from 'node:worker_threads';
import { messageOf, PressmarkError } from '../../errors.js';
import { escapeHtml } from '../../host/admin/additions.js';
import type { Log } from '../../log.js';
import { BuildStopped, type SiteReport } from '../options.js';
import type { Builder, BuiltPage } from './builder.js';

// The builder runs in a thread of its own: `createBuilderThread` is the end of the main thread, `serveBuilds` that of the
// builder's. This file loads neither the builder nor the theme, so that the main thread does not either.

/** What the main thread asks of the builder's thread; the answers come in any order. */
export type Request = { readonly id: number } & Question;

/** A request without its number. */
export type Question =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly kind: 'build'; readonly paths: readonly string[] | 'all' }
  /** Lists the pages of articles; see `Builder.pages`. */
  | { readonly kind: 'pages' }
  /** Makes the page of a draft, whose links are relative to `base`; see `Builder.preview`. */
  | { readonly kind: 'preview'; readonly path: string; readonly text: string; readonly base: string }
  /** Ends the thread; a build of everything is not waited for. */
  | { readonly kind: 'close' };

/** What the builder's thread answers, once for every request. */
export type Answer = { readonly id: number } & Outcome;

/** An answer without the number of its request. */
export type Outcome =
  | { readonly kind: 'built'; readonly report: SiteReport }
  | { readonly kind: 'pages'; readonly pages: readonly BuiltPage[] | undefined }
  | { readonly kind: 'preview'; readonly html: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The builder was closed in the middle of a build of everything, or before the request. */
  | { readonly kind: 'stopped' };

/** The builder's thread as the main thread sees it: started when needed, and again after a crash. */
export function createBuilderThread(spawn: () => Worker, log: Log) {
  let worker: Worker | undefined;
  /** What is called with the answer to a request, by its number. */
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let requests = 0;
  let isClosed = false;

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
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  }

  function failAll(reason: string): void {
    // A thread that is ended by force when the service stops has not failed.
    const outcome: Outcome = isClosed ? { kind: 'stopped' } : { kind: 'failed', reason };
    for (const id of [...waiting.keys()]) settle({ id, ...outcome });
  }

  function ask(question: Question): Promise<Outcome> {
    if (isClosed) return Promise.resolve({ kind: 'stopped' });
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

  /** Asks for a build. Never rejects; when the thread dies the outcome is `failed`. */
  function build(paths: readonly string[] | 'all'): Promise<Outcome> {
    return ask({ kind: 'build', paths });
  }

  /** The pages of articles, newest first; undefined where no thread knows them. */
  async function pages(): Promise<readonly BuiltPage[] | undefined> {
    const outcome = worker === undefined ? undefined : await ask({ kind: 'pages' });
    return outcome?.kind === 'pages' ? outcome.pages : undefined;
  }

  /** The page of a draft; undefined where it cannot be made now. @throws PressmarkError TEMPLATE_FAILED */
  async function preview(path: string, text: string, base: string): Promise<string | undefined> {
    const outcome = worker === undefined ? undefined : await ask({ kind: 'preview', path, text, base });
    if (outcome?.kind === 'failed') throw new PressmarkError('TEMPLATE_FAILED', outcome.reason);
    return outcome?.kind === 'preview' ? outcome.html : undefined;
  }

  /** Ends the thread when the changes that wait are built, or by force after `ms`; no other one is started. */
  async function close(ms: number): Promise<void> {
    isClosed = true;
    const open = worker;
    if (open === undefined) return;
    const ended = new Promise<void>((resolve) => open.once('exit', () => resolve()));
    const deadline = setTimeout(() => {
      log.warn({ ms }, 'the thread that builds pages did not end in time and was stopped');
      void open.terminate();
    }, ms);
    open.postMessage({ id: 0, kind: 'close' } satisfies Request);
    await ended;
    clearTimeout(deadline);
  }

  return { build, pages, preview, close };
}

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
      if (request.kind === 'preview') {
        const page = await builder.preview(request.path, request.text);
        return { kind: 'preview', html: page && withBase(page, request.base) };
      }
      await builder.close();
      return 'closed';
    } catch (error) {
      if (error instanceof BuildStopped) return { kind: 'stopped' };
      log.debug({ err: error }, 'build failed');
      return { kind: 'failed', reason: messageOf(error) };
    }
  }
}

function withBase(page: string, base: string): string {
  return page.replace(/<head[^>]*>/i, (head) => `${head}<base href="${escapeHtml(base)}">`);
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
