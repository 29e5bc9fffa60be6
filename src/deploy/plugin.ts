import { filesOfAddress } from '../article/address/files-of-address.js';
import { messageOf } from '../errors.js';
import type { Lock } from '../fs/lock.js';
import type { NoteFirst } from '../host/hooks/hooks.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import { readBuildState } from './build/build-state.js';
import { addressBelow } from './build/pages.js';
import { createDeployQueue, type DeployPauses, type OutputSource } from './deploy-queue.js';
import type { AwaitedArticle, Facts } from './facts.js';
import { createAwaited, type LiveSettings } from './live/awaited.js';
import type { DeployTarget } from './targets/target.js';

export interface DeployPluginOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly facts: Facts;
  /** Whether the site is built here. Where its host builds it, a deploy follows each commit instead of each build. */
  readonly isBuiltHere: boolean;
  /** The check that articles are live; undefined if it is not wanted. */
  readonly live?: LiveSettings;
  /** Whether a job waits for articles to be live. */
  isLiveAwaited(): boolean;
  /** Where the plugin keeps which delivered files are not committed yet, for the hook; undefined if none can be. */
  readonly uncommitted?: Set<string>;
  readonly noteFirst: NoteFirst;
  /** Which of these files, relative to the site's folder, git has as they are; undefined if nothing is committed. */
  committed?(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether everything that was committed has been pushed; undefined if nothing is pushed. */
  isPushed?(): boolean;
  /** Held during each deploy. It is closed with the plugin. */
  readonly lock?: Lock;
  readonly pauses?: DeployPauses;
}

/** How long commits gather before a host that builds the site is asked to, in milliseconds. */
const COMMITS_MS = 200;

/** How often it is looked whether what was committed has been pushed, in milliseconds. */
const PUSHES_MS = 500;

/**
 * Deploys what was built, checks that delivered articles are live, and notes the facts on the way. A delivery never waits for
 * any of it.
 */
export function deployPlugin(options: DeployPluginOptions): Plugin {
  const { targets, source, stateDir, facts, isBuiltHere, uncommitted } = options;
  const { live, isLiveAwaited, committed, isPushed, lock, pauses, noteFirst } = options;
  return definePlugin({
    name: 'deploy',
    receiver(host) {
      const { log } = host;
      /** When the last good deploy to each target began, by `performance.now()`. */
      const lastDeploys = new Map<string, number>();
      /** When everything that had been committed was pushed last, by `performance.now()`. */
      let lastPushed = Number.NEGATIVE_INFINITY;
      /** Whether the host must build although nothing is committed. */
      let mustBuild = false;
      let isPushAwaited = false;
      let commitTimer: NodeJS.Timeout | undefined;
      let pushTimer: NodeJS.Timeout | undefined;

      const queue = createDeployQueue({
        targets,
        source,
        stateDir,
        log,
        noteFirst: (done) => noteFirst('deploy.done', done),
        onDeployed: (done, began) => {
          const { target } = done;
          lastDeploys.set(target, began);
          log.info({ target }, targets.find(({ name }) => name === target)?.outcome ?? 'site deployed');
          void host.doAction('deploy.done', done);
          awaited?.look();
        },
        onFailed: (target, error, began) =>
          void host.doAction('deploy.failed', { target, ms: msSince(began), error }),
        ...(lock !== undefined && { lock }),
        ...(pauses !== undefined && { pauses }),
      });

      const awaited =
        live &&
        createAwaited({
          facts,
          live,
          log,
          deployedUntil,
          onLive: ({ id, url, path, at, ms }) => host.doAction('article.live', { id, url, path, at, ms }),
        });

      /** What was ready to be deployed at this moment, by `performance.now()`, has been deployed. */
      function deployedUntil(): number {
        if (targets.length === 0)
          return isBuiltHere || isPushed === undefined ? performance.now() : lastPushed;
        const version = source.version();
        const states = queue.state();
        const untilOf = ({ name }: DeployTarget) =>
          states[name]?.deployed?.version === version
            ? performance.now()
            : (lastDeploys.get(name) ?? Number.NEGATIVE_INFINITY);
        return Math.min(...targets.map(untilOf));
      }

      host.addAction('delivery.accepted', ({ event, id = '' }) => {
        if (event === 'webhook.test') facts.note({ test: { at: now(), id } });
      });
      for (const name of ['article.published', 'article.updated'] as const)
        host.addAction(name, ({ article: { id, url }, path }) => {
          facts.note({ delivery: { at: now(), id, url } });
          uncommitted?.add(path);
          if (!isBuiltHere) whenCommitted();
        });
      host.addAction('article.removed', ({ path }) => {
        uncommitted?.delete(path);
        awaited?.forget(path);
      });

      host.addAction('article.stateChanged', ({ path, state }) => {
        if (state !== 'live') awaited?.forget(path);
        if (isBuiltHere || state === 'scheduled') return;
        mustBuild = true;
        whenCommitted();
      });

      if (awaited !== undefined) awaitArticles(awaited.add);

      /** Has articles looked for; by jobs where other jobs wait for that, so that no crash loses one. */
      function awaitArticles(add: (article: AwaitedArticle) => void): void {
        const addForGood = async (article: AwaitedArticle) => {
          add(article);
          await facts.save();
          if (!isBuiltHere) whenCommitted();
        };
        for (const on of ['article.published', 'article.updated'] as const)
          if (isLiveAwaited())
            host.job(on.replace('article.', 'live-'), {
              on,
              run: async ({ article: { path, id, url, state }, at }) => {
                if (state === 'live') await addForGood({ path, id, url, at });
              },
            });
          else host.addAction(on, ({ article: { id, url }, path }) => add({ path, id, url, at: now() }));
        const isAwaited = (path: string) => facts.now.awaited.some((one) => one.path === path);
        if (isLiveAwaited())
          host.job('live-again', {
            on: 'article.stateChanged',
            run: async ({ path, id, url, state }) => {
              if (state === 'live' && !isAwaited(path)) await addForGood({ path, id, url, at: now() });
            },
          });
        else
          host.addAction('article.stateChanged', ({ path, id, url, state }) => {
            if (state === 'live') add({ path, id, url, at: now() });
          });
      }

      host.addAction('site.built', ({ files, articles, failed, output, began }) => {
        source.onChange?.(output);
        const ended = performance.now();
        queue.changed();
        const reason = `${failed} ${failed === 1 ? 'page' : 'pages'} could not be built; the log says why`;
        noteBuild(failed === 0, failed === 0 ? undefined : reason);
        const written = new Set(files);
        const isWritten = (url: string) =>
          filesOfAddress(addressBelow(host.site.url, url) ?? '').some((file) => written.has(file));
        const isAffected = (path: string) => articles.length === 0 || articles.includes(path);
        const isBuilt = ({ path, url }: AwaitedArticle) => (failed === 0 ? isAffected(path) : isWritten(url));
        awaited?.built(began, isBuilt, ended);
        awaited?.look();
      });
      host.addAction('deploy.requested', () => queue.deployNow());
      host.addAction('search.written', () => queue.changed());
      host.addAction('build.done', ({ runs, began }) => {
        const ended = performance.now();
        queue.changed();
        noteBuild(runs > 0);
        const excluded = new Set(readBuildState(stateDir).excluded.map(({ path }) => path));
        awaited?.built(began, ({ path }) => !excluded.has(path), ended);
        awaited?.look();
      });
      host.addAction('build.failed', ({ reason }) => noteBuild(false, reason));

      /** @param isNew whether something was built, and not only seen to be as it was built before. */
      function noteBuild(isNew: boolean, reason?: string): void {
        const at = now();
        const buildError = reason === undefined ? null : { at, reason };
        facts.note({ ...(isNew && { build: { at } }), buildError });
      }

      host.addAction('git.committed', ({ path, commit, subject }) => {
        uncommitted?.delete(path);
        facts.note({ commit: { at: now(), commit, subject }, commitError: null });
        if (isBuiltHere) return;
        source.onChange?.(commit);
        whenCommitted();
      });

      host.addAction('git.failed', ({ path, reason }) =>
        facts.note({ commitError: { at: now(), path, reason } }),
      );

      /** Where the host builds the site, it can have what was committed. */
      function whenCommitted(): void {
        commitTimer ??= setTimeout(() => void deployCommits(), COMMITS_MS);
      }

      async function deployCommits(): Promise<void> {
        commitTimer = undefined;
        try {
          await awaited?.committed(committed);
        } catch (error) {
          log.debug({ reason: messageOf(error) }, 'git could not be asked which articles it has');
        }
        isPushAwaited = true;
        if (mustBuild) queue.deployNow();
        else queue.changed();
        mustBuild = false;
        awaited?.look();
      }

      host.addAction('host.ready', () => {
        if (isBuiltHere) return; // the first build follows
        whenCommitted();
        if (live === undefined || isPushed === undefined || targets.length > 0) return;
        pushTimer = setInterval(() => {
          if (!isPushAwaited || !isPushed()) return;
          isPushAwaited = false;
          lastPushed = performance.now();
          awaited?.look();
        }, PUSHES_MS).unref();
      });
      host.onClose(async () => {
        clearTimeout(commitTimer);
        clearInterval(pushTimer);
        await Promise.all([queue.stop(), awaited?.stop()]);
        lock?.close();
        await facts.close();
      });
    },
  });
}

function msSince(began: number): number {
  return Math.round(performance.now() - began);
}

function now(): string {
  return new Date().toISOString();
}
