import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { isGone } from '../../store/catalog/entry.js';
import { filesIn } from '../folder-files.js';
import { makeRelease, presentRelease, removeOldReleases, switchTo } from '../releases.js';
import type { DeployOutput, DeployTarget } from './target.js';

/**
 * A folder of this machine: each deploy is a release, `<folder>/releases/<time>`, and `<folder>/current` is a symbolic link to
 * the last one, which one rename replaces. A web server that serves `current` never has half a site, and the last five
 * releases stay for people who want to go back. A file that has not changed is the same file in all of them.
 *
 * @param folder absolute.
 */
export function folderTarget(folder: string): Required<Omit<DeployTarget, 'outcome'>> {
  const releases = join(folder, 'releases');
  const current = join(folder, 'current');
  /** The last release of this process, which the known changes are made to. */
  let last: string | undefined;

  async function deploy({ folder: output, changed, onSkipped }: DeployOutput, signal: AbortSignal) {
    try {
      fs.mkdirSync(releases, { recursive: true });
      if (fs.lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === false)
        throw new PressmarkError(
          'DEPLOY_FAILED',
          'current in the deploy folder is not a symbolic link; move it away, so that Pressmark can make one',
        );
      await cleanUp(); // what a killed deploy has left
      const previous = presentRelease(releases, current);
      const known = previous !== undefined && previous === last ? changed : undefined;
      const isSame = (file: string) =>
        known === undefined
          ? fingerprintOf(join(output, file)) === fingerprintOf(join(previous ?? '', file))
          : !known.has(file);
      const files = await filesIn(output, onSkipped);
      const source = { output, files, previous, isSame, keepsTimes: true };
      const release = await makeRelease(releases, source, [], signal);
      await switchTo(release, current);
      last = release;
    } catch (error) {
      if (error instanceof PressmarkError || signal.aborted) throw error;
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the release could not be written into the deploy folder: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** The release that the owner has gone back to stays. */
  async function cleanUp(): Promise<void> {
    await removeOldReleases(releases, [presentRelease(releases, current)]);
  }

  return { name: `folder ${folder}`, deploy, cleanUp };
}

/** The size and the time of a file; undefined where there is none. */
function fingerprintOf(path: string): string | undefined {
  try {
    const { size, mtimeMs } = fs.statSync(path);
    return `${size} ${Math.round(mtimeMs)}`;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
