import type { PluginHost } from '../../host/plugins.js';
import { identityOf } from '../commit/identity.js';
import type { CommitContext } from '../commit/transaction.js';
import type { Origins } from './edit-bases.js';
import type { PushStatusKeeper } from './push-status.js';
import { createPusher, type Pusher } from './pusher.js';
import { createRemote, IN_BACKGROUND, type RemoteSettings, remembering } from './remote.js';
import type { Exclusive } from './store-lock.js';
import { sweepStaging } from './worktree-checkout.js';

/** How the branch is pushed. */
export interface PushSettings extends RemoteSettings {
  /** How long commits gather before they are pushed, in milliseconds. */
  readonly debounce: number;
  readonly status: PushStatusKeeper;
  /** The state folder, absolute: the store's lock is in it. */
  readonly stateDir: string;
  /** Where files are made ready, absolute. */
  readonly staging: string;
  /** Told of files that have come with others' commits, relative to the site's folder. */
  onFiles(paths: readonly string[]): void;
}

/** What keeps people's files as they are while the branch follows the remote. */
export interface Keeping {
  readonly exclusive: Exclusive;
  readonly origins: Origins;
}

/** Pushes what is committed here, and what a former run has left. */
export async function pushInBackground(
  host: PluginHost,
  settings: PushSettings,
  { siteDir, env }: { readonly siteDir: string; readonly env: NodeJS.Dict<string> },
  { repository, locker, author, signal }: CommitContext,
  { exclusive, origins }: Keeping,
): Promise<Pusher> {
  const { log } = host;
  const { staging, status, debounce } = settings;
  const remember = remembering(repository, locker, log);
  const remote = await createRemote(repository, settings, env, remember, IN_BACKGROUND);
  const identity = await identityOf(repository.git, author);
  for (const name of await exclusive.run(() => sweepStaging(staging, siteDir)))
    log.warn({ path: name }, 'what was saved into a file while it was replaced now stands here');

  const pusher = createPusher({
    repository,
    remote,
    following: { repository, locker, identity, ref: remote.ref, staging, log, signal, exclusive, origins },
    debounce,
    status,
    log,
    onFiles: (paths) => {
      const inside = paths.filter((path) => path.startsWith(repository.prefix));
      settings.onFiles(inside.map((path) => path.slice(repository.prefix.length)));
    },
  });
  host.addAction('git.committed', () => pusher.request(1));
  host.addAction('host.ready', () => pusher.request(0));
  return pusher;
}
