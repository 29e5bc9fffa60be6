import type { Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import type { ReviewSettings } from '../git/push/pull-request.js';

/** The file with the state of pushes, below the state folder. */
export const PUSH_STATUS = 'push.json';

/**
 * Checks the settings of git: levels `commit` and `push` need git, and a pull request needs a branch that is not the store
 * itself.
 *
 * @throws PressmarkError CONFIG_INVALID
 */
export function checkGitSettings({ durability, git }: Pick<Settings, 'durability' | 'git'>): void {
  const push = typeof git === 'object' && typeof git.push === 'object' ? git.push : undefined;
  if (push?.pullRequest !== undefined && (push.branch === undefined || durability === 'push'))
    throw new PressmarkError(
      'CONFIG_INVALID',
      durability === 'push'
        ? "git.push.pullRequest cannot be combined with durability: 'push', which answers only when the branch has the article; set durability: 'commit' or 'disk'"
        : "git.push.pullRequest needs git.push.branch, the branch for articles under review, such as 'pressmark/articles'",
    );
  if (durability !== 'disk' && git === false)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `durability: '${durability}' cannot be combined with git: false; remove git: false from the config, or set durability: 'disk'`,
    );
}

/** How and where commits are pushed. */
export interface PushConfig {
  readonly remote: string | undefined;
  readonly branch: string | undefined;
  /** In milliseconds. */
  readonly debounce: number;
  /** In milliseconds. */
  readonly fetchEvery: number;
}

const DEFAULTS: PushConfig = { remote: undefined, branch: undefined, debounce: 2_000, fetchEvery: 5_000 };

/** Whether anything is pushed, before the answer or after it. */
export function isPushed({ git, durability }: Pick<Settings, 'git' | 'durability'>): boolean {
  return durability === 'push' || (typeof git === 'object' && git.push !== false);
}

/** The settings of pull requests; undefined if there are none. */
export function reviewConfig({
  git,
  gitToken: token,
}: Pick<Settings, 'git' | 'gitToken'>): ReviewSettings | undefined {
  if (typeof git !== 'object' || typeof git.push !== 'object') return undefined;
  const { branch, pullRequest, api } = git.push;
  return branch === undefined || pullRequest === undefined ? undefined : { branch, pullRequest, api, token };
}

/** The settings of pushing, with defaults. */
export function pushConfig({ git }: Pick<Settings, 'git'>): PushConfig {
  const push = typeof git === 'object' ? git.push : false;
  if (typeof push === 'boolean') return DEFAULTS;
  const { remote, branch, debounce, fetchEvery } = push;
  return { remote, branch, debounce, fetchEvery };
}
