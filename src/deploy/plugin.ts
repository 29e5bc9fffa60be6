import type { Lock } from '../fs/lock.js';
import { definePlugin, type Plugin, type ReceiverHost } from '../host/plugin.js';
import { createDeployQueue, type DeployPauses, type OutputSource } from './deploy-queue.js';
import type { AwaitedArticle, Facts } from './facts.js';
import { followBuilds } from './follow-builds.js';
import { followCommits } from './follow-commits.js';
import { type AwaitedArticles, createAwaited, type LiveSettings } from './live/awaited.js';
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
  /** Which of these files, relative to the site's folder, git has as they are; undefined if nothing is committed. */
  committed?(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether everything that was committed has been pushed; undefined if nothing is pushed. */
  isPushed?(): boolean;
  /** Held during each deploy. It is closed with the plugin. */
  readonly lock?: Lock;
  readonly pauses?: DeployPauses;
}

/**
 * Deploys what was built, checks that delivered articles are live, and notes the facts on the way. A delivery never waits for
 * any of it.
 */
export function deployPlugin(options: DeployPluginOptions): Plugin {
  const { targets, source, stateDir, facts, isBuiltHere, uncommitted } = options;
  const { live, isPushed, lock, pauses } = options;
  return definePlugin({
    name: 'deploy',
    receiver(host) {
      const { log } = host;
      /** When the last good deploy to each target began, by `performance.now()`. */
      const lastDeploys = new Map<string, number>();
      /** When everything that had been committed was pushed last, by `performance.now()`. */
      let lastPushed = Number.NEGATIVE_INFINITY;

      const queue = createDeployQueue({
        targets,
        source,
        stateDir,
        log,
        onDeployed: (done, began) => {
          const { target } = done;
          lastDeploys.set(target, began);
          log.info({ target }, targets.find(({ name }) => name === target)?.outcome ?? 'site deployed');
          void host.doAction('deploy.done', done);
          awaited?.look();
        },
        onFailed: (target, error, began) =>
          void host.doAction('deploy.failed', { target, ms: Math.round(performance.now() - began), error }),
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

      const parts = { ...options, queue, awaited };
      const onPushed = () => {
        lastPushed = performance.now();
      };
      const commits = isBuiltHere ? undefined : followCommits(host, { ...parts, onPushed });
      if (isBuiltHere) followBuilds(host, parts);
      if (awaited !== undefined) awaitArticles(host, options, awaited, () => commits?.request());

      host.addAction('delivery.accepted', ({ event, id = '' }) => {
        if (event === 'webhook.test') facts.note({ test: { at: now(), id } });
      });
      for (const name of ['article.published', 'article.updated'] as const)
        host.addAction(name, ({ article: { id, url }, path }) => {
          facts.note({ delivery: { at: now(), id, url } });
          uncommitted?.add(path);
        });
      host.addAction('article.removed', ({ path }) => {
        uncommitted?.delete(path);
        awaited?.forget(path);
      });
      host.addAction('git.committed', ({ path, commit, subject }) => {
        uncommitted?.delete(path);
        facts.note({ commit: { at: now(), commit, subject }, commitError: null });
      });
      host.addAction('git.failed', ({ path, reason }) =>
        facts.note({ commitError: { at: now(), path, reason } }),
      );
      host.addAction('deploy.requested', () => queue.deployNow());
      host.onClose(async () => {
        commits?.stop();
        await Promise.all([queue.stop(), awaited?.stop()]);
        lock?.close();
        await facts.close();
      });
    },
  });
}

/** Has articles looked for; by jobs where other jobs wait for them to be live, so that no crash loses one. */
function awaitArticles(
  host: ReceiverHost,
  { facts, isLiveAwaited }: DeployPluginOptions,
  awaited: AwaitedArticles,
  onAwaited: () => void,
): void {
  const addForGood = async (article: AwaitedArticle) => {
    awaited.add(article);
    await facts.save();
    onAwaited();
  };
  for (const on of ['article.published', 'article.updated'] as const)
    if (isLiveAwaited())
      host.job(on.replace('article.', 'live-'), {
        on,
        run: async ({ article: { path, id, url, state }, at }) => {
          if (state === 'live') await addForGood({ path, id, url, at });
        },
      });
    else host.addAction(on, ({ article: { id, url }, path }) => awaited.add({ path, id, url, at: now() }));
  const isAwaited = (path: string) => facts.now.awaited.some((one) => one.path === path);
  host.addAction('article.stateChanged', ({ path, id, url, state }) => {
    if (state !== 'live') awaited.forget(path);
    else if (!isAwaited(path)) awaited.add({ path, id, url, at: now() });
  });
}

function now(): string {
  return new Date().toISOString();
}
