import type { Lock } from '../fs/lock.js';
import { definePlugin, type Plugin, type ReceiverHost } from '../host/plugin.js';
import { createDeployQueue, type DeployPauses } from './deploy-queue.js';
import type { AwaitedArticle, Facts } from './facts.js';
import { followBuilds } from './follow-builds.js';
import { followCommits } from './follow-commits.js';
import { type AskCommitted, type AwaitedArticles, createAwaited, type LiveSettings } from './live/awaited.js';
import type { DeployTarget, OutputSource } from './targets/target.js';

export interface DeployPluginOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly facts: Facts;
  /** Whether the site is built here. Otherwise its host builds it from the commits. */
  readonly isBuiltHere: boolean;
  /** The live check; undefined if there is none. */
  readonly live?: LiveSettings;
  /** Whether a job follows `article.live`. */
  isLiveAwaited(): boolean;
  /** Undefined if nothing is committed. */
  readonly committed?: AskCommitted;
  /** The action after which a host that builds from the repository has a commit. */
  readonly hostHasIt: 'git.committed' | 'git.pushed' | 'git.merged';
  /** Locked during each deploy, and closed with the plugin. */
  readonly lock?: Lock;
  readonly pauses?: DeployPauses;
}

/** Deploys the output, checks that delivered articles are live, and notes the facts. A delivery never waits for it. */
export function deployPlugin(options: DeployPluginOptions): Plugin {
  const { targets, source, stateDir, facts, isBuiltHere, live, lock, pauses } = options;
  return definePlugin({
    name: 'deploy',
    receiver(host) {
      const { log } = host;

      const queue = createDeployQueue({
        targets,
        source,
        stateDir,
        log,
        onDeployed: (done) => {
          const { target } = done;
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
          deployedUntil: () => queue.deployedUntil(),
          onLive: ({ id, url, path, at, ms }) => host.doAction('article.live', { id, url, path, at, ms }),
        });

      const parts = { ...options, queue, awaited };
      followBuilds(host, { ...parts, awaited: isBuiltHere ? awaited : undefined });
      const commits = isBuiltHere ? undefined : followCommits(host, parts);
      if (awaited !== undefined) awaitArticles(host, options, awaited, () => void commits?.look());

      host.addAction('delivery.accepted', ({ event, id = '' }) => {
        if (event === 'webhook.test') facts.note({ test: { at: now(), id } });
      });
      for (const name of ['article.published', 'article.updated'] as const)
        host.addAction(name, ({ article: { id, url } }) => facts.note({ delivery: { at: now(), id, url } }));
      host.addAction('article.removed', ({ path }) => awaited?.forget(path));
      host.addAction('git.committed', ({ commit, subject }) =>
        facts.note({ commit: { at: now(), commit, subject }, commitError: null }),
      );
      host.addAction('git.failed', ({ path, reason }) =>
        facts.note({ commitError: { at: now(), path, reason } }),
      );
      host.addAction('deploy.requested', () => queue.deployNow(targets));
      host.onClose(async () => {
        await Promise.all([queue.stop(), awaited?.stop()]);
        lock?.close();
        await facts.close();
      });
    },
  });
}

/** Starts the live checks of articles, by jobs if other jobs follow `article.live`, so that no crash loses one. */
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
  // Until this resolves, the next start repeats the action.
  host.addAction('article.stateChanged', async ({ path, id, url, state }) => {
    if (state !== 'live') awaited.forget(path);
    else if (!isAwaited(path)) await addForGood({ path, id, url, at: now() });
  });
}

function now(): string {
  return new Date().toISOString();
}
