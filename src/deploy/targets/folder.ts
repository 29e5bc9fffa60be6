import { fork } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../child-environment.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { switchTo } from '../releases.js';
import type { ReleaseAnswer } from './release-process.js';
import type { DeployOutput, DeployTarget } from './target.js';

/**
 * A folder of this machine: each deploy is a release, `<folder>/releases/<time>`, and `<folder>/current` is a symbolic link to
 * the last one, which one rename replaces. A web server that serves `current` never has half a site, and the five releases
 * before it stay for people who want to go back. A file that has not changed is the same file in all of them.
 *
 * @param folder absolute.
 */
export function folderTarget(folder: string): DeployTarget {
  const releases = join(folder, 'releases');
  const current = join(folder, 'current');

  async function deploy({ folder: output }: DeployOutput, signal: AbortSignal) {
    if (fs.lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === false)
      throw new PressmarkError(
        'DEPLOY_FAILED',
        'current in the deploy folder is not a symbolic link; move it away, so that Pressmark can make one',
      );
    try {
      fs.mkdirSync(releases, { recursive: true });
      const answer = await releaseInProcess([output, releases, current], signal);
      if (answer.kind === 'failed') throw new Error(answer.reason);
      await switchTo(answer.release, current);
    } catch (error) {
      signal.throwIfAborted();
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the release could not be written into the deploy folder: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  return { name: `folder ${folder}`, deploy };
}

/**
 * Has a process of its own make a release, which leaves the processor to deliveries: a site of 10,000 articles has 29,000 files,
 * and that many calls of the system take seconds of the thread that answers.
 */
function releaseInProcess(folders: readonly string[], signal: AbortSignal): Promise<ReleaseAnswer> {
  signal.throwIfAborted();
  const child = fork(new URL('./release-process.js', import.meta.url), folders, {
    execArgv: [],
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    signal,
    killSignal: 'SIGKILL',
  });
  return new Promise<ReleaseAnswer>((resolve, reject) => {
    child.once('message', resolve);
    child.on('error', reject);
    // Its exit may be seen before its answer.
    child.once('disconnect', () =>
      resolve({ kind: 'failed', reason: 'the process that makes it has ended without an answer' }),
    );
  }).finally(() => child.kill('SIGKILL'));
}
