import type { Settings } from '../config/load.js';

/** How and where to commits are pushed. */
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

/** What the config says of pushing, with the defaults. */
export function pushConfig({ git }: Pick<Settings, 'git'>): PushConfig {
  const push = typeof git === 'object' ? git.push : false;
  if (typeof push === 'boolean') return DEFAULTS;
  const { remote, branch, debounce, fetchEvery } = push;
  return { remote, branch, debounce, fetchEvery };
}
