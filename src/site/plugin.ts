import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { messageOf, PressmarkError } from '../errors.js';
import { isLoopbackName } from '../host/http/local-request.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { Log } from '../log.js';
import type { BuiltArticlePage } from './builder/builder.js';
import type { Answer, BuildEnd, Question, Request } from './builder/thread.js';
import type { Search } from './search.js';

/** How long pending work may take when the service stops. */
const CLOSE_MS = 5_000;

/** Pauses before a build is repeated that failed, or some of whose pages did: the first, doubled each time up to the last. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 600_000];

export interface SitePluginOptions {
  /** Opens the index of the site's search. @default there is none */
  search?(pages: () => Promise<readonly BuiltArticlePage[] | undefined>, onWritten: () => void): Search;
  /** Starts the builder's thread, in which `serveBuilds` answers; `app/builder/start-builder.ts`. */
  spawn(): Worker;
  /** The content folder relative to the site's, with a slash at its end; empty if both are the same. */
  readonly contentPrefix: string;
  /** How long pending work may take when the service stops. @default 5000 */
  readonly closeMs?: number;
  /** Pause before the first retry of a build. @default 1000 */
  readonly retryMs?: number;
  /**
   * Called at the start with what is to be called after other sources than articles have changed: with the files below the
   * content folder, or `all`. Returns what ends that.
   */
  watch?(onChange: (work: readonly string[] | 'all') => void): () => Promise<void>;
}

/**
 * The static generator as a plugin of the receiver: every stored, edited or removed article is built into
 * pages by a thread of its own, so that no delivery waits for it.
 */
export function sitePlugin(options: SitePluginOptions): Plugin {
  const { contentPrefix: prefix, closeMs = CLOSE_MS, retryMs = FIRST_RETRY_MS } = options;

  return definePlugin({
    name: 'site',
    receiver(host) {
      const { log } = host;
      const thread = createBuilderThread(options.spawn, log, ended);
      const search = options.search?.(thread.pages, () => void host.doAction('search.written', {}));
      let retry: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined;
      /** Repeated builds in a row that were no better. */
      let retries = 0;
      let isClosing = false;

      function ended(end: BuildEnd): void {
        if (end.kind === 'failed') {
          const { at, reason } = end;
          log.error({ reason, retryInMs: retryLater() }, 'the site could not be built');
          void host.doAction('build.failed', { ms: Math.round(performance.now() - at), reason });
          return;
        }
        const { paths, ...report } = end.report;
        const { pages, bytes, written, removed, failed, files, ms } = report;
        log[written + removed > 0 ? 'info' : 'debug'](
          { pages, bytes, written, removed, failed, ms },
          'site built',
        );
        if (failed === 0) retries = 0;
        else retryLater();
        const articles = paths.map((path) => `${prefix}${path}`);
        void host.doAction('site.built', { ...report, articles, began: end.at });
        if (files.length > 0) void host.doAction('site.changed', { files, articles });
        search?.built();
      }

      /** Has everything built again after a pause. @returns in how many milliseconds; undefined if the service stops. */
      function retryLater(): number | undefined {
        if (isClosing) return undefined;
        if (retry === undefined) {
          const ms = Math.min(LAST_RETRY_MS, retryMs * 2 ** retries++);
          const again = () => {
            retry = undefined;
            thread.build('all');
          };
          retry = { timer: setTimeout(again, ms), at: performance.now() + ms };
        }
        return Math.round(retry.at - performance.now());
      }

      host.provide('preview', {
        page: async ({ path, text, url }, files) => {
          if (!path.startsWith(prefix)) return { kind: 'none' };
          // The public host of an admin has no page of the site.
          const isHere = isLoopbackName(new URL(files).hostname);
          const base = isHere ? new URL(url).pathname : url;
          const html = await thread.preview(path.slice(prefix.length), text, base);
          return html === undefined ? { kind: 'none' } : { kind: 'page', html };
        },
        file: async () => undefined, // the site has it
      });

      const changed = ({ path }: { readonly path: string }) => {
        if (path.startsWith(prefix)) thread.build([path.slice(prefix.length)]);
      };
      host.addAction('article.published', changed);
      host.addAction('article.updated', changed);
      host.addAction('article.created', changed);
      host.addAction('article.edited', changed);
      host.addAction('article.removed', changed);
      host.addAction('article.stateChanged', ({ path, state }) => {
        if (state !== 'scheduled') changed({ path }); // what has made it that was a change of its file
      });
      host.addAction('build.requested', ({ articles }) => {
        const paths = articles?.flatMap((path) =>
          path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
        );
        thread.build(paths ?? 'all', paths);
      });
      let unwatch: (() => Promise<void>) | undefined;
      host.addAction('host.ready', () => {
        thread.build('all');
        unwatch = options.watch?.(thread.build);
      });
      host.onClose(async () => {
        isClosing = true;
        await Promise.all([unwatch?.(), search?.close()]);
        clearTimeout(retry?.timer);
        await thread.close(closeMs);
      });
    },
  });
}

/**
 * The builder's thread as the main thread sees it: started when it is needed, and again after a crash.
 *
 * @param onEnd called once for each build, and once if the thread dies.
 */
function createBuilderThread(spawn: () => Worker, log: Log, onEnd: (end: BuildEnd) => void) {
  let worker: Worker | undefined;
  /** When the last build was asked for, by `performance.now()`. */
  let asked = 0;
  /** What is called with the answers to questions, by their numbers; with nothing if the thread dies. */
  const waiting = new Map<number, (answer?: Answer) => void>();
  let questions = 0;
  let isClosed = false;

  function start(): Worker {
    const started = spawn();
    started.on('message', (message: BuildEnd | Answer) => {
      if (message.kind === 'built' || message.kind === 'failed') onEnd(message);
      else settle(message.id, message);
    });
    started.on('messageerror', (error) => died(messageOf(error)));
    started.on('error', (error) => log.error({ err: error }, 'the thread that builds pages has crashed'));
    started.once('exit', (code) => {
      if (worker === started) worker = undefined;
      died(`the thread that builds pages ended with code ${code}`);
    });
    return started;
  }

  function settle(id: number, answer?: Answer): void {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  }

  function died(reason: string): void {
    for (const id of [...waiting.keys()]) settle(id);
    // A thread that ends when the service stops has not failed.
    if (!isClosed) onEnd({ kind: 'failed', at: asked, reason });
  }

  /**
   * Asks for a build of everything, or of what these files change: in the next turn, when all that hear of the change have.
   *
   * @param anew those whose pages are made in any case.
   */
  function build(paths: readonly string[] | 'all', anew: readonly string[] = []): void {
    setTimeout(() => request(paths, anew));
  }

  function request(paths: readonly string[] | 'all', anew: readonly string[]): void {
    if (isClosed) return;
    asked = performance.now();
    try {
      worker ??= start();
      worker.postMessage({ kind: 'build', paths, anew, at: asked } satisfies Request);
    } catch (error) {
      died(messageOf(error));
    }
  }

  /** Asks a thread that is there. @returns undefined if none is. */
  async function ask(question: Question): Promise<Answer | undefined> {
    const open = worker;
    if (isClosed || open === undefined) return undefined;
    const id = ++questions;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      open.postMessage({ id, ...question } satisfies Request);
    });
  }

  /** The pages of articles, newest first; undefined if no thread knows them. */
  async function pages(): Promise<readonly BuiltArticlePage[] | undefined> {
    const answer = await ask({ kind: 'pages' });
    return answer?.kind === 'pages' ? answer.pages : undefined;
  }

  /** The page of a draft; undefined if it cannot be made now. @throws PressmarkError TEMPLATE_FAILED */
  async function preview(path: string, text: string, base: string): Promise<string | undefined> {
    const answer = await ask({ kind: 'preview', path, text, base });
    if (answer?.kind === 'no preview') throw new PressmarkError('TEMPLATE_FAILED', answer.reason);
    return answer?.kind === 'preview' ? answer.html : undefined;
  }

  /** Ends the thread when the changes that wait are built, or by force after `ms`; no other one is started. */
  async function close(ms: number): Promise<void> {
    await sleep(); // behind the requests of this turn
    isClosed = true;
    const open = worker;
    if (open === undefined) return;
    const ended = new Promise<void>((resolve) => open.once('exit', () => resolve()));
    const deadline = setTimeout(() => {
      log.warn({ ms }, 'the thread that builds pages did not end in time and was stopped');
      void open.terminate();
    }, ms);
    open.postMessage({ kind: 'close' } satisfies Request);
    await ended;
    clearTimeout(deadline);
  }

  return { build, pages, preview, close };
}
