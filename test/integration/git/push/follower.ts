import { join } from 'node:path';
import { pino } from 'pino';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { createIndexLocker } from '../../../../src/git/commit/index-lock.js';
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
  const options = { repository, siteDir: dir, stateDir, staging, idleMs: 0, helper, log };
  return { repository, locker, staging, worktree: createWorktreeState(options), log };
}
