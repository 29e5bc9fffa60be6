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

/** Settings for pushes in the background. */
export interface PushSettings extends RemoteSettings {
  /** How long commits are collected before a push, in milliseconds. */
  readonly debounce: number;
  readonly status: PushStatusKeeper;
  /** Settings for a pull request of the pushed commits. */
  readonly review?: ReviewSettings;
  /** Called with the files that commits of the remote have changed, relative to the content folder. */
  onFiles(paths: readonly string[]): void;
  /** Runs work while this process holds the store's lock. */
  whileLocked<T>(work: () => Promise<T>): Promise<T>;
}

/** The site whose commits are pushed, and the identity for merges. */
export interface PushedSite extends Pick<PullRequestOptions, 'decode' | 'env'> {
  readonly place: CommittedFolder;
  /** Author and committer of merges. @default the identity in git's config */
  readonly author?: Person | undefined;
  /** Whether merges are signed. @default false */
  readonly sign?: boolean | undefined;
}

/** The pauses after failed pushes: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 1_000, longest: 300_000 };
/** The status without obstacles. */
const FINE = { lastError: null, isDeclined: false, waitingFor: null };
/** How many times one attempt follows the remote before the push fails for now. */
const MAX_ATTEMPTS = 5;

/**
 * Pushes new commits after `debounce`, together with those that an earlier run has not pushed. If the config names another
 * branch than HEAD's, HEAD's commits are pushed to that branch; without a name, nothing is pushed while HEAD is on another
 * branch than at the start. If the remote has moved on, HEAD's branch follows it first, if both have the same name or a pull
 * request is kept; otherwise a person has to merge. Nothing is ever forced. A failure is logged once and tried again after
 * growing, random pauses, so that receivers do not push in step.
 *
 * @returns a function that pushes the remaining commits once. If that fails, the next start pushes them.
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
      onMerged: (commit, branch) => void host.doAction('git.merged', { commit, branch }),
    });
  const commitOf = (name: string) => commitAt(repository, name);
  let pushedTip: string | undefined;

  /** Pushes the branch. @returns the reason if that has to be tried again. */
  async function attempt(): Promise<string | undefined> {
    const { waiting } = status.now;
    try {
      const reason = await pushBranch();
      // Commits that were made in the meantime have requested another attempt.
      const remaining = Math.max(0, status.now.waiting - waiting);
      if (reason === undefined) status.set({ waiting: remaining, ...FINE });
      return reason;
    } catch (error) {
      const reason = wordsOf(error);
      status.set({ lastError: reason, isDeclined: isDeclined(error) });
      return reason;
    }
  }

  /** @returns the reason if a person has to do something first. */
  async function pushBranch(): Promise<string | undefined> {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const head = await readHead(repository);
      if (head.kind === 'not now') return waitFor(head.waitingFor);
      const { ref: local, tip } = head;
      // Without a name in the config, this is the branch that HEAD was on at the start.
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
      // A reviewer's commits are followed like commits on the branch itself.
      if (local !== ref && review === undefined) {
        // Another push came first, but with fewer of our commits.
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

  /** Makes the local branch follow a commit of the remote, and reports the changed files to the store. */
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

  /** @returns the reason for another attempt. */
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
