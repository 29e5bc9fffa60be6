import { definePlugin, type Plugin } from '../host/plugin.js';
import { type BuildEnd, createBuildQueue, PAUSES } from './build/build-queue.js';
import type { BuildOutcome } from './build/build-site.js';
import type { ExcludedArticle } from './build/build-state.js';

/** The result of a build, or the reason why it could not be started. */
export type BuildAnswer =
  | (BuildOutcome & {
      /** A problem with the addresses of existing posts or new articles. */
      readonly addresses?: string;
    })
  | { readonly kind: 'error'; readonly reason: string };

export interface BuildPluginOptions {
  /** Builds the site. Never rejects. @param isForced whether to build even if nothing has changed. */
  build(isForced: boolean): Promise<BuildAnswer>;
  /** Ends the running build. */
  close(): Promise<void>;
  /** The shortest interval between two builds, in milliseconds. */
  readonly everyMs: number;
}

const NOTHING_BUILT = { ms: 0, runs: 0, written: [], removed: [], articles: [] };

/**
 * Builds a site with its own generator in the background, after each change and at the start. A delivery never waits for it
 * and never fails because of it.
 */
export function buildPlugin({ build, close, everyMs }: BuildPluginOptions): Plugin {
  return definePlugin({
    name: 'build',
    receiver(host) {
      const { log } = host;
      const loggedDigests = new Set<string>();
      const loggedWarnings = new Set<string>();
      let isClosing = false;
      /** Whether the next build runs even if nothing has changed. */
      let isForced = false;

      function warnOnce(warning: string): void {
        if (!loggedWarnings.has(warning)) log.warn(warning);
        loggedWarnings.add(warning);
      }

      async function buildNow(): Promise<BuildEnd> {
        const began = performance.now();
        const isWanted = isForced;
        isForced = false;
        const answer = await build(isWanted);
        if (answer.kind !== 'error' && answer.addresses !== undefined) warnOnce(answer.addresses);
        switch (answer.kind) {
          case 'built':
            built(answer, began);
            return 'done';
          case 'current':
            void host.doAction('build.done', { ...NOTHING_BUILT, began });
            return 'unneeded';
          case 'failed':
            failed(answer.ms, answer.reason, 'the site could not be built; the last good output stays');
            return 'done'; // it is not tried again before something changes
          case 'error':
            isForced ||= isWanted;
            if (!isClosing) failed(0, answer.reason, 'the site could not be built; Pressmark tries again');
            return 'again';
        }
      }

      function built(answer: Extract<BuildAnswer, { kind: 'built' }>, began: number): void {
        const { ms, runs, printed: output, changed, articles, excluded, report } = answer;
        const counts = { written: changed.written.length, removed: changed.removed.length };
        log.info({ ms, runs, ...counts, articles: articles.length }, 'site built');
        for (const one of excluded) logExcluded(one);
        for (const warning of report.warnings) warnOnce(warning);
        for (const { file, url, reason } of report.missing)
          log.warn({ path: file, url, reason }, 'a page of an article is missing or incomplete');
        void host.doAction('build.done', { ms, began, runs, output, ...changed, articles });
        const files = [...changed.written, ...changed.removed];
        if (files.length > 0)
          void host.doAction('site.changed', { files, articles: articles.map(({ path }) => path) });
        if (answer.isRetryDue) queue.request();
      }

      function failed(ms: number, reason: string, message: string): void {
        log.error({ reason }, message);
        void host.doAction('build.failed', { ms, reason });
      }

      /** Logs each excluded text once. */
      function logExcluded({ path, digest, reason, hasPrevious, isMalformed }: ExcludedArticle): void {
        if (loggedDigests.has(digest)) return;
        loggedDigests.add(digest);
        const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
        const shown = hasPrevious ? 'the site shows its previous text' : 'the site is built without it';
        const again = isMalformed ? 'when the file changes' : 'with each build';
        log.error({ path, reason }, `an article ${why}; ${shown}; it is tried again ${again}`);
      }

      const queue = createBuildQueue(buildNow, log, { ...PAUSES, everyMs });
      host.addAction('build.requested', () => {
        isForced = true;
        queue.request();
      });
      for (const event of [
        'host.ready',
        'article.published',
        'article.updated',
        'article.created',
        'article.edited',
        'article.removed',
      ] as const)
        host.addAction(event, queue.request);
      host.addAction('article.stateChanged', ({ state }) => {
        if (state !== 'scheduled') queue.request(); // what has made it that was a change of its file
      });
      host.onClose(async () => {
        isClosing = true; // a build that is stopped has not failed
        const ended = queue.stop();
        await close();
        await ended;
      });
    },
  });
}
