import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { isLoopbackName } from '../host/http/local-request.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { BuiltPage } from './builder/builder.js';
import { createBuilderThread } from './builder/thread.js';
import type { Search } from './search.js';

/** How long pending work may take when the service stops. */
const CLOSE_MS = 5_000;

/** Pauses before a build is repeated that failed, or some of whose pages did: the first, doubled each time up to the last. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 600_000];

export interface SitePluginOptions {
  /** Opens the index of the site's search. @default there is none */
  search?(pages: () => Promise<readonly BuiltPage[] | undefined>, onWritten: () => void): Search;
  /** Starts the builder's thread, in which `serveBuilds` answers. */
  spawn(): Worker;
  /** The content folder relative to the site's, with a slash at its end; empty where both are the same. */
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
      const search = options.search?.(thread.pages, () => void host.doAction('search.written', {}));
      /** The files below the content folder that the next build is for; undefined for none. */
      let dirty: Set<string> | 'all' | undefined;
      const builds = new Set<Promise<void>>();
      let timer: NodeJS.Timeout | undefined;
      let retry: NodeJS.Timeout | undefined;
      let failures = 0;
      let isClosing = false;

      function request(work: readonly string[] | 'all'): void {
        if (work === 'all' || dirty === 'all') dirty = 'all';
        else dirty = new Set([...(dirty ?? []), ...work]);
        timer ??= setTimeout(start);
      }

      /** Starts a build of what is dirty. The thread makes the pages of the articles at once, also during another build. */
      function start(): void {
        timer = undefined;
        if (dirty === undefined) return;
        const work = dirty === 'all' ? 'all' : [...dirty];
        dirty = undefined;
        const running = build(work).finally(() => builds.delete(running));
        builds.add(running);
      }

      async function build(work: readonly string[] | 'all'): Promise<void> {
        const began = performance.now();
        const outcome = await thread.build(work);
        if (outcome.kind === 'failed') {
          const { reason } = outcome;
          log.error({ reason, retryInMs: retryLater() }, 'the site could not be built');
          void host.doAction('build.failed', { ms: Math.round(performance.now() - began), reason });
        } else if (outcome.kind === 'built') {
          const { report } = outcome;
          const { files, failures: _, ...counts } = report;
          const level = report.written + report.removed > 0 ? 'info' : 'debug';
          log[level](counts, 'site built');
          if (report.failed === 0) failures = 0;
          else retryLater();
          const articles = work === 'all' ? [] : work.map((path) => `${prefix}${path}`);
          void host.doAction('site.built', { ...report, articles, began });
          if (files.length > 0) void host.doAction('site.changed', { files, articles });
          search?.built();
        }
      }

      /** Has everything built again after a pause. @returns its length in milliseconds. */
      function retryLater(): number {
        const ms = Math.min(LAST_RETRY_MS, retryMs * 2 ** failures++);
        if (isClosing) return ms;
        retry ??= setTimeout(() => {
          retry = undefined;
          request('all');
        }, ms);
        return ms;
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
        if (path.startsWith(prefix)) request([path.slice(prefix.length)]);
      };
      host.addAction('article.published', changed);
      host.addAction('article.updated', changed);
      host.addAction('article.created', changed);
      host.addAction('article.edited', changed);
      host.addAction('article.removed', changed);
      host.addAction('article.stateChanged', ({ path, state }) => {
        if (state !== 'scheduled') changed({ path }); // what has made it that was a change of its file
      });
      host.addAction('build.requested', () => request('all'));
      let unwatch: (() => Promise<void>) | undefined;
      host.addAction('host.ready', () => {
        request('all');
        unwatch = options.watch?.(request);
      });
      host.onClose(async () => {
        isClosing = true;
        await Promise.all([unwatch?.(), search?.close()]);
        clearTimeout(timer);
        clearTimeout(retry);
        if (failures === 0) start();
        const end = performance.now() + closeMs;
        await Promise.race([Promise.all(builds), sleep(closeMs, undefined, { ref: false })]);
        await thread.close(Math.max(0, end - performance.now()));
      });
    },
  });
}
