import { messageOf } from '../errors.js';
import type { ReceiverHost } from '../host/plugin.js';
import type { DeployQueue } from './deploy-queue.js';
import type { AskCommitted, AwaitedArticles } from './live/awaited.js';
import type { DeployTarget } from './targets/target.js';

/** What follows commits. */
export interface CommitFollowers {
  readonly targets: readonly DeployTarget[];
  readonly queue: Pick<DeployQueue, 'changed' | 'deployNow'>;
  /** Undefined without a live check. */
  readonly awaited: AwaitedArticles | undefined;
  /** See `DeployPluginOptions`. */
  readonly hostHasIt: 'git.committed' | 'git.pushed' | 'git.merged';
  /** See `DeployPluginOptions`. */
  readonly committed?: AskCommitted;
}

/** Starts deploys and live checks after each commit that the host has, if the host builds the site. */
export function followCommits(host: ReceiverHost, followers: CommitFollowers) {
  const { targets, queue, awaited, hostHasIt, committed } = followers;
  const hooks = targets.filter(({ commits }) => commits !== undefined);

  host.addAction(hostHasIt, ({ commit }) => {
    for (const { commits } of hooks) commits?.onChange?.(commit);
    queue.changed();
    void look();
  });
  if (hostHasIt === 'git.merged') host.addAction('git.pushed', () => void look()); // it waits for review now
  host.addAction('article.stateChanged', ({ state }) => {
    // The host must build, although nothing may be committed.
    if (state === 'live' || state === 'expired') queue.deployNow(hooks);
  });
  host.addAction('host.ready', () => {
    queue.changed();
    void look();
  });
  if (committed === undefined)
    for (const name of ['article.published', 'article.updated'] as const) host.addAction(name, look);

  async function look(): Promise<void> {
    try {
      await awaited?.committed(committed);
    } catch (error) {
      host.log.debug({ reason: messageOf(error) }, 'git could not say which articles are committed');
    }
    awaited?.look();
  }

  return { /** An article is awaited that may have been committed before. */ look };
}
