import { join } from 'node:path';
import { pino } from 'pino';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { identityOf } from '../../../../src/git/commit/identity.js';
import { createIndexLocker } from '../../../../src/git/commit/index-lock.js';
import type { FollowOptions } from '../../../../src/git/push/follow.js';
import { createWorktreeState } from '../../../../src/git/push/worktree-state.js';
import { gitEnvironment } from '../../../support/clones.js';

const log = pino({ level: 'silent' });

/** What `follow` needs of a clone. */
export async function followerOf(dir: string) {
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const helper = findLockHelper();
  const locker = createIndexLocker(repository, helper, log);
  const stateDir = join(dir, '.pressmark');
  const staging = join(stateDir, 'staging');
  const state = { repository, siteDir: dir, stateDir, staging, idleMs: 0, helper, log };
  const worktree = createWorktreeState(state);
  const options: FollowOptions = {
    repository,
    locker,
    identity: await identityOf(repository.git),
    ref: 'refs/heads/main',
    worktree,
    folder: 'content/',
    onFiles: () => undefined,
    log,
    signal: new AbortController().signal,
  };
  const close = async () => {
    await worktree.close();
    await locker.close();
  };
  return { repository, locker, staging, worktree, log, options, close };
}
