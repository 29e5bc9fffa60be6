import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { messageOf, PressmarkError } from '../errors.js';
import { frameBase } from '../host/admin/framed-page.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { SiteReport } from './builder/build-report.js';
import type { BuiltArticlePage } from './builder/builder.js';
import { createBuilderThread } from './builder/thread-client.js';
import type { Search } from './search.js';

/** How long pending work may take when the service stops, in milliseconds. */
const CLOSE_MS = 5_000;

/**
 * The pauses before a build is repeated because it or some pages failed, in milliseconds: the first is doubled each time, up to
 * the last.
 */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 600_000];

/** The changes for the next build. */
interface Changes {
  /** The changed files, below the content folder. */
  readonly paths: Set<string>;
  /** Whether it is a build of everything. */
  isAll: boolean;
  /** The files whose pages are made even without a change. */
  readonly anew: Set<string>;
}

export interface SitePluginOptions {
  /** Opens the index of the site's search. @default no search */
  search?(pages: () => Promise<readonly BuiltArticlePage[] | undefined>, onWritten: () => void): Search;
  /** Starts the builder's thread, which runs `serveBuilds`; see `app/builder/start-builder.ts`. */
  spawn(): Worker;
  /** The content folder relative to the site's folder, with a slash at its end; empty if both are the same. */
  readonly contentPrefix: string;
  /** How long pending work may take when the service stops, in milliseconds. @default 5000 */
  readonly closeMs?: number;
  /** The pause before the first retry of a build, in milliseconds. @default 1000 */
  readonly retryMs?: number;
  /**
   * Watches sources other than articles. It calls `onChange` with the changed files below the content folder, or `all`, and
   * returns a function that ends it.
   */
  watch?(onChange: (work: readonly string[] | 'all') => void): () => Promise<void>;
}

/**
 * Makes the static generator's plugin for the receiver: a separate thread builds the pages of every stored, edited or removed
 * article, so that no delivery waits for a build.
 */
export function sitePlugin(options: SitePluginOptions): Plugin {
  const { contentPrefix: prefix, closeMs = CLOSE_MS, retryMs = FIRST_RETRY_MS } = options;

  return definePlugin({
    name: 'site',
    receiver(host) {
      const { log } = host;
      const thread = createBuilderThread(options.spawn, log);
      const search = options.search?.(pages, () => void host.doAction('search.written', {}));
      /** The changes since the last build was started. */
      let next: Changes | undefined;
      let isBuilding = false;
      /** The timer for the next retry. */
      let retry: NodeJS.Timeout | undefined;
      /** The number of retries since the last build without failures. */
      let retries = 0;
      let isClosing = false;

      /**
       * Requests a build of everything, or of these files' changes. All requests during a build become one build, the next;
       * only the pages of changed articles are made during the current one.
       *
       * @param anew the files whose pages are made even without a change.
       */
      function build(paths: readonly string[] | 'all', anew: readonly string[] = []): void {
        next ??= { paths: new Set(), isAll: false, anew: new Set() };
        if (paths === 'all') next.isAll = true;
        else for (const path of paths) next.paths.add(path);
        for (const path of anew) next.anew.add(path);
        if (paths !== 'all') thread.ask({ kind: 'first', paths }).catch(() => undefined); // the build reports the error
        if (!isBuilding) void buildRequested();
      }

      async function buildRequested(): Promise<void> {
        isBuilding = true;
        do {
          await sleep(); // so that all other listeners get the change first
          if (next !== undefined) await buildNext(next);
        } while (next !== undefined);
        isBuilding = false;
      }

      async function buildNext({ paths, isAll, anew }: Changes): Promise<void> {
        next = undefined;
        const began = performance.now();
        try {
          const work = isAll ? 'all' : [...paths];
          built(await thread.ask({ kind: 'build', work, anew: [...anew] }), began);
        } catch (error) {
          if (thread.isClosed()) return; // the service stops: no failure
          const reason = messageOf(error);
          log.error({ reason }, 'the site could not be built; Pressmark tries again');
          retryLater();
          void host.doAction('build.failed', { ms: Math.round(performance.now() - began), reason });
        }
      }

      function built({ paths, ...report }: SiteReport, began: number): void {
        const { pages, bytes, written, removed, failed, files, ms } = report;
        log[written + removed > 0 ? 'info' : 'debug'](
          { pages, bytes, written, removed, failed, ms },
          'site built',
        );
        if (failed === 0) retries = 0;
        else retryLater();
        const articles = paths.map((path) => `${prefix}${path}`);
        void host.doAction('site.built', { ...report, articles, began });
        if (files.length > 0) void host.doAction('site.changed', { files, articles });
        search?.built();
      }

      /** Requests a build of everything after a pause. */
      function retryLater(): void {
        if (isClosing || retry !== undefined) return;
        const again = () => {
          retry = undefined;
          build('all');
        };
        retry = setTimeout(again, Math.min(LAST_RETRY_MS, retryMs * 2 ** retries++));
      }

      /** Lists the pages of articles, newest first; undefined if no thread is running. */
      async function pages(): Promise<readonly BuiltArticlePage[] | undefined> {
        return thread.isOpen() ? thread.ask({ kind: 'pages' }).catch(() => undefined) : undefined;
      }

      /** Renders the page of a draft; undefined if that is not possible now. @throws PressmarkError TEMPLATE_FAILED */
      async function preview(path: string, text: string, base: string): Promise<string | undefined> {
        if (!thread.isOpen()) return undefined;
        return thread.ask({ kind: 'preview', path, text, base }).catch((error: unknown) => {
          throw new PressmarkError('TEMPLATE_FAILED', messageOf(error), { cause: error });
        });
      }

      host.provide('preview', {
        page: async ({ path, text, url }, origin) => {
          if (!path.startsWith(prefix)) return { kind: 'none' };
          const html = await preview(path.slice(prefix.length), text, frameBase(url, origin));
          return html === undefined ? { kind: 'none' } : { kind: 'page', html };
        },
      });

      const changed = ({ path }: { readonly path: string }) => {
        if (path.startsWith(prefix)) build([path.slice(prefix.length)]);
      };
      for (const what of ['published', 'updated', 'created', 'edited', 'removed'] as const)
        host.addAction(`article.${what}`, changed);
      // An article becomes scheduled only by a change of its file, which has requested a build.
      host.addAction('article.stateChanged', ({ path, state }) => {
        if (state !== 'scheduled') changed({ path });
      });
      host.addAction('build.requested', ({ articles }) => {
        const paths = articles?.flatMap((path) =>
          path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
        );
        build(paths ?? 'all', paths);
      });
      let unwatch: (() => Promise<void>) | undefined;
      host.addAction('host.ready', () => {
        build('all');
        unwatch = options.watch?.(build);
      });
      host.onClose(async () => {
        isClosing = true;
        await Promise.all([unwatch?.(), search?.close()]);
        clearTimeout(retry);
        await sleep(); // after the requests of this turn
        if (next !== undefined) void buildNext(next);
        await thread.close(closeMs);
      });
    },
  });
}
