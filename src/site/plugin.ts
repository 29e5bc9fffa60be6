import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { definePlugin, type Plugin } from '../host/plugins.js';
import { createBurst, createSchedule, type Work } from './builder/schedule.js';
import { createBuilderThread } from './builder/thread-client.js';
import { isTermTextPath } from './index/owner-texts.js';
import type { ListPages, Search } from './search/search.js';

/** How long pending work may take when the service stops. */
const CLOSE_MS = 5_000;

/** Pauses before a build that failed is tried again: the first, doubled each time up to the last. */
const RETRY_MS = { thread: { first: 1_000, last: 60_000 }, pages: { first: 30_000, last: 600_000 } };

/** How long until it is checked whether the process to which the site was left is still alive. */
const YIELDED_MS = 30_000;

/** How long until a site that stands is checked: what waits to be delivered at the start comes first. */
const FIRST_LOOK_MS = 1_000;

/** A change of templates, settings, or what the owner wrote besides articles. */
export interface SourceChange {
  /** The files below the content folder of which pages are to be built, or everything. */
  readonly work: readonly string[] | 'all';
  /** Whether a new thread builds, with new settings. @default false */
  readonly isRenewed?: boolean;
}

export interface SitePluginOptions {
  /** Opens the index of the site's search. @default there is none */
  search?(listPages: ListPages, onWritten: () => void): Search;
  spawn(): Worker;
  /** Whether the site stands whole already when the receiver is ready. @default no */
  isWhole?(): boolean;
  readonly contentDir: string;
  /** How long pending work may take when the service stops. @default 5000 */
  readonly closeMs?: number;
  /** Pause before the first retry of a build of which the thread has died. @default 1000 */
  readonly retryMs?: number;
  /**
   * Called at the start with what is to be called after other sources than articles have changed. Returns what ends that.
   */
  watch?(onChange: (change: SourceChange) => void): () => Promise<void>;
}

/**
 * The static generator as a plugin of the receiver: every stored, edited or removed article is built into
 * pages by a thread of its own, so that no delivery waits for it.
 *
 * @param options.spawn starts the builder's thread, in which `serveBuilds` answers.
 * @param options.contentDir the content folder, relative to the site's folder.
 * @param options.watch see there.
 */
export function sitePlugin(options: SitePluginOptions): Plugin {
  const prefix = folderPrefix(options.contentDir);
  const { closeMs = CLOSE_MS, retryMs = RETRY_MS.thread.first } = options;

  return definePlugin({
    name: 'site',
    setup(host) {
      if (host.role !== 'receiver') return;
      const { log } = host;
      const thread = createBuilderThread(options.spawn, log);
      const search = options.search?.(thread.newestPages, () => void host.doAction('search.written', {}));
      const schedule = createSchedule(run);
      const burst = createBurst(thread.pace);
      // A queue of its own: changes need not wait until everything has been looked at.
      const fullBuilds = createSchedule(run);
      let failures = 0;
      let notBefore = 0;
      let retry: NodeJS.Timeout | undefined;
      let isAllDue = false; // whether the retry that waits is one of everything

      async function run(work: Work): Promise<void> {
        if (performance.now() < notBefore) return; // a build of everything is to come
        const answer = await thread.build(work === 'all' ? 'all' : [...work]);
        if (answer.kind === 'built') {
          const { isYielded = false, ...built } = answer.report;
          if (isYielded) {
            retryLater('all', YIELDED_MS);
            return;
          }
          const level = built.written + built.removed > 0 ? 'info' : 'debug';
          const { files: _, ...counts } = built;
          log[level](counts, 'site built');
          failures = built.failed === 0 ? 0 : failures + 1;
          if (built.failed > 0) retryLater([], pause(RETRY_MS.pages));
          const paths = work === 'all' ? [] : [...work].filter((path) => !isTermTextPath(path));
          const articles = paths.map((path) => `${prefix}${path}`);
          void host.doAction('site.built', { ...built, articles });
          search?.built();
        } else if (answer.kind === 'failed') {
          failures++;
          const ms = pause({ ...RETRY_MS.thread, first: retryMs });
          notBefore = performance.now() + ms;
          log.error({ reason: answer.reason, retryInMs: ms }, 'the site could not be built');
          retryLater('all', ms);
        }
      }

      function pause({ first, last }: { first: number; last: number }): number {
        return Math.min(last, first * 2 ** (failures - 1));
      }

      function retryLater(work: readonly string[] | 'all', ms: number): void {
        if (isAllDue) return; // which builds these too
        isAllDue = work === 'all';
        clearTimeout(retry);
        retry = setTimeout(() => {
          notBefore = 0;
          isAllDue = false;
          request(work);
        }, ms);
      }

      function request(work: readonly string[] | 'all'): void {
        (work === 'all' ? fullBuilds : schedule).request(work);
      }

      const changed = ({ path }: { readonly path: string }) => {
        if (!path.startsWith(prefix)) return;
        burst.note();
        schedule.request([path.slice(prefix.length)]);
      };
      host.addAction('article.published', changed);
      host.addAction('article.updated', changed);
      host.addAction('article.edited', changed);
      host.addAction('article.removed', changed);
      let unwatch: (() => Promise<void>) | undefined;
      let firstLook: NodeJS.Timeout | undefined;
      host.addAction('host.ready', () => {
        const look = () => fullBuilds.request('all');
        if (options.isWhole?.() === true) firstLook = setTimeout(look, FIRST_LOOK_MS);
        else look();
        unwatch = options.watch?.(({ work, isRenewed = false }) => {
          if (isRenewed) thread.renew();
          request(work);
        });
      });
      host.onClose(async () => {
        await Promise.all([unwatch?.(), search?.close()]);
        clearTimeout(retry);
        clearTimeout(firstLook);
        burst.stop();
        thread.pace(false);
        const end = performance.now() + closeMs;
        const drained = Promise.all([fullBuilds.drain(), schedule.drain()]);
        await Promise.race([drained, sleep(closeMs, undefined, { ref: false })]);
        fullBuilds.stop();
        schedule.stop();
        await thread.close(Math.max(0, end - performance.now()));
      });
    },
  });
}

function folderPrefix(folder: string): string {
  const path = folder.replaceAll('\\', '/').replace(/^\.\/|^\.$|\/+$/g, '');
  return path === '' ? '' : `${path}/`;
}
