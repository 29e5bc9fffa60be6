import type { LockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import { type BaseVersions, createBaseVersions } from './base-versions.js';
import { type CheckoutFolders, createCheckoutFolders } from './checkout-folders.js';
import { createStoreLock, type StoreLock } from './store-lock.js';

/** What keeps people's files as they are while files of the work tree are replaced. */
export interface WorktreeState {
  readonly storeLock: StoreLock;
  readonly bases: BaseVersions;
  readonly folders: CheckoutFolders;
  /** Removes what dead receivers have left, and reports a person's file among it. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface WorktreeStateOptions {
  readonly repository: Repository;
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The state folder, which holds the store's lock; absolute. */
  readonly stateDir: string;
  /** The folder in which files are made before they get their names, absolute. */
  readonly staging: string;
  /** How long the store's lock is kept while it is not needed, in milliseconds. */
  readonly idleMs: number;
  readonly helper: LockHelper;
  readonly log: Log;
}

/** Returns the state that one process has of a work tree whose files it replaces. */
export function createWorktreeState(options: WorktreeStateOptions): WorktreeState {
  const { repository, siteDir, stateDir, staging, idleMs, helper, log } = options;
  const storeLock = createStoreLock(stateDir, idleMs, helper);
  const folders = createCheckoutFolders(staging, helper);
  return {
    storeLock,
    bases: createBaseVersions(repository, storeLock),
    folders,
    sweep: async () => {
      for (const path of await storeLock.run(() => folders.sweep(siteDir)))
        log.warn({ path }, 'what was saved into a file while it was replaced now stands here');
    },
    close: async () => {
      await storeLock.close();
      await folders.close();
    },
  };
}
