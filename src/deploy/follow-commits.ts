import { messageOf } from '../errors.js';
import type { ReceiverHost } from '../host/plugin.js';
import type { DeployQueue, OutputSource } from './deploy-queue.js';
import type { AwaitedArticles } from './live/awaited.js';
import type { DeployTarget } from './targets/target.js';

/** What commits bring about. */
export interface CommitFollowers {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly queue: Pick<DeployQueue, 'changed' | 'deployNow'>;
  /** Undefined where no live check is wanted. */
  readonly awaited: AwaitedArticles | undefined;
  /** See `DeployPluginOptions`. */
  committed?(paths: readonly string[]): Promise<ReadonlySet<string>>;
  isPushed?(): boolean;
  /** Called when everything that was committed has been pushed, where no deploy waits for that. */
  onPushed(): void;
}

/** How long commits gather before a host that builds the site is asked to, in milliseconds. */
const COMMITS_MS = 200;

/** How often it is looked whether what was committed has been pushed, in milliseconds. */
const PUSHES_MS = 500;

/** Where a host builds the site from its repository, deploys and live checks follow the commits. */
export function followCommits(host: ReceiverHost, followers: CommitFollowers) {
  const { targets, source, queue, awaited, committed, isPushed, onPushed } = followers;
  /** Whether the host must build although nothing is committed. */
  let mustBuild = false;
  let isPushAwaited = false;
  let commitTimer: NodeJS.Timeout | undefined;
  let pushTimer: NodeJS.Timeout | undefined;

  for (const name of ['article.published', 'article.updated'] as const) host.addAction(name, scheduleDeploy);
  host.addAction('article.stateChanged', ({ state }) => {
    if (state === 'scheduled') return;
    mustBuild = true;
    scheduleDeploy();
  });
  host.addAction('git.committed', ({ commit }) => {
    source.onChange?.(commit);
    scheduleDeploy();
  });
  host.addAction('host.ready', () => {
    scheduleDeploy();
    if (awaited === undefined || isPushed === undefined || targets.length > 0) return;
    pushTimer = setInterval(() => {
      if (!isPushAwaited || !isPushed()) return;
      isPushAwaited = false;
      onPushed();
      awaited.look();
    }, PUSHES_MS).unref();
  });

  function scheduleDeploy(): void {
    commitTimer ??= setTimeout(() => void deployCommits(), COMMITS_MS);
  }

  async function deployCommits(): Promise<void> {
    commitTimer = undefined;
    try {
      await awaited?.committed(committed);
    } catch (error) {
      host.log.debug({ reason: messageOf(error) }, 'git could not be asked which articles it has');
    }
    isPushAwaited = true;
    if (mustBuild) queue.deployNow();
    else queue.changed();
    mustBuild = false;
    awaited?.look();
  }

  function stop(): void {
    clearTimeout(commitTimer);
    clearInterval(pushTimer);
  }

  return { /** An article is awaited that may have been committed before. */ request: scheduleDeploy, stop };
}
