import fs from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { filesIn } from '../folder-files.js';
import { makeRelease, presentRelease, removeOldReleases, switchTo } from '../releases.js';
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

  async function deploy({ folder: output, onSkipped }: DeployOutput, signal: AbortSignal) {
    try {
      fs.mkdirSync(releases, { recursive: true });
      if (fs.lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === false)
        throw new PressmarkError(
          'DEPLOY_FAILED',
          'current in the deploy folder is not a symbolic link; move it away, so that Pressmark can make one',
        );
      const previous = presentRelease(releases, current);
      // The release that the owner has gone back to stays; what a killed deploy has left does not.
      await removeOldReleases(releases, previous === undefined ? [] : [basename(previous)]);
      const files = await filesIn(output, onSkipped);
      const isSame = (file: string) => areAlike(join(output, file), join(previous ?? '', file));
      const release = await makeRelease(releases, { output, files, previous, isSame }, signal);
      await switchTo(release, current);
    } catch (error) {
      if (error instanceof PressmarkError || signal.aborted) throw error;
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the release could not be written into the deploy folder: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  return { name: `folder ${folder}`, deploy };
}

/** Whether two files have the same size and time: a copy has the time of its original, and a build replaces what it changes. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => fs.statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < CLOCK_MS;
}

/** A copied time is exact to this, in milliseconds. */
const CLOCK_MS = 0.01;
