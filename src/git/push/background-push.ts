import { PressmarkError } from '../../errors.js';
import type { ReceiverHost } from '../../host/plugin.js';
import { backoff, createRepeatedTask } from '../../repeated-task.js';
import { branchName, readHead } from '../commit/head.js';
import type { CommittedFolder } from '../content-folder.js';
import type { Person } from '../identity.js';
import { commitAt, isAncestor } from '../objects.js';
import { type Followed, follow } from './follow.js';
import { BASE_REF } from './in-review.js';
import { keepPullRequest, type PullRequestOptions, type ReviewSettings } from './pull-request.js';
import { isDeclined, type PushStatusKeeper, wordsOf } from './push-status.js';
import { createRemote, FETCHED_REF, type RemoteSettings } from './remote.js';

/** How the branch is pushed. */
export interface PushSettings extends RemoteSettings {
  /** How long commits gather before they are pushed, in milliseconds. */
  readonly debounce: number;
  readonly status: PushStatusKeeper;
  /** Opens a pull request for what is pushed. */
  readonly review?: ReviewSettings;
  /** Receives the files that others' commits have changed, below the content folder. */
  onFiles(paths: readonly string[]): void;
  /** Runs work while this process has the store's lock. */
  whileLocked<T>(work: () => Promise<T>): Promise<T>;
}

/** What is pushed, and by whom. */
export interface PushedSite extends Pick<PullRequestOptions, 'decode' | 'env'> {
  readonly place: CommittedFolder;
  /** Author and committer of merges. @default what git is configured with */
  readonly author?: Person | undefined;
  /** Whether merges are signed. @default false */
  readonly sign?: boolean | undefined;
}

/** The pauses after pushes that failed: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 1_000, longest: 300_000 };
/** The status where nothing is in the way. */
const FINE = { lastError: null, isDeclined: false, waitingFor: null };
/** How often a branch that others push to as well is followed before the push is put off. */
const MAX_ATTEMPTS = 5;

/**
 * Pushes the commits that are made here, and those that an earlier run has not pushed: some time after commits were made, all
 * that have gathered at once. Where the config names another branch than the one that HEAD is on, HEAD's commits are pushed to
 * that; else nothing is pushed while HEAD is elsewhere than at the start. Where the remote has moved on, the branch follows it
 * first, unless it is another one; nothing is ever forced. A failure is logged once and tried again, each time later and never
 * in step with other receivers.
 *
 * @returns a function that pushes what waits, once. A push that fails then is repeated after the next start.
 */
export async function pushInBackground(
  host: ReceiverHost,
  settings: PushSettings,
  { place, author, sign = false, decode, env }: PushedSite,
): Promise<() => Promise<void>> {
  const { repository, folder } = place;
  const { log } = host;
  const { status, debounce, onFiles, whileLocked, review } = settings;
  const remote = await createRemote(repository, settings, env);
  const { ref } = remote;
  const pullRequest =
    review &&
    keepPullRequest({
      ...review,
      remote: settings.remote,
      place,
      env,
      status,
      log,
      decode,
      follow: followIn,
    });
  const commitOf = (name: string) => commitAt(repository, name);
  let pushedTip: string | undefined;

  /** Pushes the branch as it is now. @returns the reason where that has to be tried again. */
  async function attempt(): Promise<string | undefined> {
    const { waiting } = status.now;
    try {
      const reason = await pushBranch();
      // commits that were made in the meantime have their own request
      const remaining = Math.max(0, status.now.waiting - waiting);
      if (reason === undefined) status.set({ waiting: remaining, ...FINE });
      return reason;
    } catch (error) {
      const reason = wordsOf(error);
      status.set({ lastError: reason, isDeclined: isDeclined(error) });
      return reason;
    }
  }

  /** @returns the reason where a person has to do something first. */
  async function pushBranch(): Promise<string | undefined> {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const head = await readHead(repository);
      if (head.kind === 'not now') return waitFor(head.waitingFor);
      const { ref: local, tip } = head;
      // Without a name in the config it is the branch on which HEAD was at the start.
      if (settings.branch === undefined && local !== ref)
        return waitFor(
          `HEAD to be on ${branchName(ref)} again: commits on ${branchName(local)} are not pushed`,
        );
      if (tip === null || tip === pushedTip) return undefined;
      const pushed = await remote.push(tip);
      if (pushed.outcome === 'accepted') {
        pushedTip = tip;
        status.set({ lastPush: new Date().toISOString() });
        log.info({ commit: tip, branch: branchName(ref) }, 'pushed');
        void host.doAction('git.pushed', { commit: tip, branch: branchName(ref) });
        pullRequest?.pushed(tip);
        return undefined;
      }
      if (pushed.outcome === 'declined')
        throw new PressmarkError('REMOTE_DECLINED', `${remote.name} declined the push: ${pushed.why}`);
      const fetched = await remote.fetch(null);
      if (fetched === null) continue;
      // A reviewer's commits are followed, as those on the branch itself.
      if (local !== ref && review === undefined) {
        // Another push was first, with less than this one.
        if (await isAncestor(repository, fetched, tip)) continue;
        return waitFor(
          `you to merge ${branchName(ref)} of the remote into ${branchName(local)} (git pull): it has commits that ${branchName(local)} does not have`,
        );
      }
      const followed = await followIn(fetched, local);
      if (followed.kind === 'waiting') return waitFor(followed.waitingFor);
    }
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} moves on faster than it can be followed`);
  }

  /** Has the local branch follow a commit of the remote, and the store read the files again that have changed. */
  async function followIn(commit: string, local: string): Promise<Followed> {
    const known = review === undefined ? [] : await Promise.all([BASE_REF, FETCHED_REF].map(commitOf));
    const shared = known.filter((one) => one !== null);
    const followed = await follow(commit, { repository, author, sign, ref: local, shared, whileLocked });
    if (followed.kind === 'followed') {
      const paths = followed.changes.map(({ path }) => path).filter((path) => path.startsWith(folder));
      onFiles(paths.map((path) => path.slice(folder.length)));
    }
    return followed;
  }

  /** @returns the reason that it is tried again later. */
  function waitFor(waitingFor: string): string {
    status.set({ ...FINE, waitingFor });
    return `it waits for ${waitingFor}`;
  }

  function onChange(reason: string | undefined): void {
    if (reason === undefined) log.info('pushes work again');
    else
      log.warn(
        { reason },
        status.now.isDeclined
          ? 'not pushed: the remote does not allow it; commits stay here until it does'
          : 'not pushed; tried again later',
      );
  }

  const retryMs = (failures: number) => backoff(failures, PAUSE_MS) * (0.5 + Math.random() / 2);
  const task = createRepeatedTask({ attempt, onChange, gatherMs: () => debounce, retryMs });

  host.addAction('git.committed', () => {
    status.set({ waiting: status.now.waiting + 1 });
    task.request();
  });
  host.addAction('host.ready', () => task.request());
  return async () => {
    if (!(await task.close())) await attempt();
    await pullRequest?.close();
  };
}
