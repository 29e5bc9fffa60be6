import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { messageOf, PressmarkError } from '../errors.js';
import { frameBase } from '../host/admin/framed-page.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { SiteReport } from './builder/build-report.js';
import type { BuiltArticlePage } from './builder/builder.js';
import { createBuilderThread } from './builder/thread-client.js';
import type { Search } from './search.js';

/** How long pending work may take when the service stops. */
const CLOSE_MS = 5_000;

/** Pauses before a build is repeated that failed, or some of whose pages did: the first, doubled each time up to the last. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 600_000];

/** What the next build is for. */
interface Changes {
  /** Below the content folder. */
  readonly paths: Set<string>;
  /** Whether it is a build of everything. */
  isAll: boolean;
  /** Whose pages are made in any case. */
  readonly anew: Set<string>;
}

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
      const thread = createBuilderThread(options.spawn, log);
      const search = options.search?.(pages, () => void host.doAction('search.written', {}));
      /** What has changed since the last build was asked for. */
      let next: Changes | undefined;
      let _building: Promise<void> | undefined;
      /** Has everything built again. */
      let retry: NodeJS.Timeout | undefined;
      /** Repeated builds in a row that were no better. */
      let retries = 0;
      let isClosing = false;

      /**
       * Asks for a build of everything, or of what these files change. What is asked for during a build is one build, the next;
       * only the own pages of changed articles are made in the middle of it.
       *
       * @param anew those whose pages are made in any case.
       */
      function build(paths: readonly string[] | 'all', anew: readonly string[] = []): void {
        next ??= { paths: new Set(), isAll: false, anew: new Set() };
        if (paths === 'all') next.isAll = true;
        else for (const path of paths) next.paths.add(path);
        for (const path of anew) next.anew.add(path);
        if (paths !== 'all') thread.ask({ kind: 'first', paths }).catch(() => undefined); // the build says what is wrong
        _building ??= buildAll();
      }

      async function buildAll(): Promise<void> {
        do {
          await sleep(); // then all others have heard of the change, too
          if (next !== undefined) await buildNext(next);
        } while (next !== undefined);
        _building = undefined;
      }

      async function buildNext({ paths, isAll, anew }: Changes): Promise<void> {
        next = undefined;
        const began = performance.now();
        try {
          const work = isAll ? 'all' : [...paths];
          built(await thread.ask({ kind: 'build', work, anew: [...anew] }), began);
        } catch (error) {
          if (thread.isClosed()) return; // a thread that ends when the service stops has not failed
          const reason = messageOf(error);
          log.error({ reason }, 'the site could not be built; it is tried again');
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

      /** Has everything built again after a pause. */
      function retryLater(): void {
        if (isClosing || retry !== undefined) return;
        const again = () => {
          retry = undefined;
          build('all');
        };
        retry = setTimeout(again, Math.min(LAST_RETRY_MS, retryMs * 2 ** retries++));
      }

      /** The pages of articles, newest first; undefined if no thread knows them. */
      async function pages(): Promise<readonly BuiltArticlePage[] | undefined> {
        return thread.isOpen() ? thread.ask({ kind: 'pages' }).catch(() => undefined) : undefined;
      }

      /** The page of a draft; undefined if it cannot be made now. @throws PressmarkError TEMPLATE_FAILED */
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
      host.addAction('article.stateChanged', ({ path, state }) => {
        if (state !== 'scheduled') changed({ path }); // what has made it that was a change of its file
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
        await sleep(); // behind what this turn asks for
        if (next !== undefined) void buildNext(next);
        await thread.close(closeMs);
      });
    },
  });
}
