import { messageOf } from '../errors.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import { type BuildEnd, createBuildQueue, PAUSES } from './build/build-queue.js';
import type { BuildOutcome } from './build/build-site.js';

/** How a build ended, or why it could not be tried. */
export type BuildAnswer =
  | (BuildOutcome & {
      /** What is wrong with the addresses of existing posts, or with those of new articles. */
      readonly addresses?: string;
    })
  | { readonly kind: 'error'; readonly reason: string };

export interface BuildPluginOptions {
  /** Builds the site. Never rejects. @param isForced whether also where nothing has changed. */
  build(isForced: boolean): Promise<BuildAnswer>;
  /** Ends the build that runs. */
  close(): Promise<void>;
  /** How much time lies at least between two builds, in milliseconds. */
  readonly everyMs: number;
}

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
      /** Whether the next build is made also where nothing has changed. */
      let isForced = false;

      function warnOnce(warning: string): void {
        if (!loggedWarnings.has(warning)) log.warn(warning);
        loggedWarnings.add(warning);
      }

      async function buildNow(): Promise<BuildEnd> {
        const began = performance.now();
        const force = isForced;
        isForced = false;
        const answer = await build(force);
        if (answer.kind !== 'error' && answer.addresses !== undefined) warnOnce(answer.addresses);
        if (answer.kind === 'built') {
          const { ms, runs, printed: output, changed, articles, excluded, report } = answer;
          const counts = { written: changed.written.length, removed: changed.removed.length };
          log.info({ ms, runs, ...counts, articles: articles.length }, 'site built');
          for (const { path, digest, reason, hasPrevious, isMalformed } of excluded) {
            if (loggedDigests.has(digest)) continue;
            loggedDigests.add(digest);
            const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
            const shown = hasPrevious ? 'the site shows its previous text' : 'the site is built without it';
            log.error(
              { path, reason },
              `an article ${why}; ${shown}; it is tried again ${isMalformed ? 'when the file changes' : 'with each build'}`,
            );
          }
          for (const warning of report.warnings) warnOnce(warning);
          for (const { file, url, reason } of report.missing)
            log.warn({ path: file, url, reason }, 'a page of an article is missing or incomplete');
          void host.doAction('build.done', { ms, began, runs, output, ...changed, articles });
          const files = [...changed.written, ...changed.removed];
          if (files.length > 0)
            void host.doAction('site.changed', { files, articles: articles.map(({ path }) => path) });
          // What was left out is tried again once the rest is there.
          if (excluded.some((one) => one.isMalformed !== true)) queue.request();
        } else if (answer.kind === 'current') {
          void host.doAction('build.done', { ms: 0, began, runs: 0, written: [], removed: [], articles: [] });
        } else if (answer.kind === 'failed') {
          const { ms, reason } = answer;
          log.error({ ms, reason }, 'the site could not be built; its output is the last good one');
          void host.doAction('build.failed', { ms, reason });
        } else if (!isClosing) {
          log.error({ reason: answer.reason }, 'the site could not be built; it is tried again');
          void host.doAction('build.failed', { ms: 0, reason: answer.reason });
        }
        if (answer.kind === 'current') return 'unneeded';
        // A build command that fails is not tried again before something changes.
        return answer.kind === 'error' ? 'again' : 'done';
      }

      const queue = createBuildQueue(
        () =>
          buildNow().catch((error: unknown) => {
            log.error({ reason: messageOf(error) }, 'the site could not be built; it is tried again');
            return 'again' as const;
          }),
        { ...PAUSES, everyMs },
      );
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
