import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { switchTo } from '../releases.js';
import type { DeployOutput, DeployTarget } from './target.js';
import { inProcess } from './target-process.js';

const PROCESS = new URL('./release-process.js', import.meta.url);

/** The paths that deploys to a folder make there: all releases, and the link to the last one. */
export function releasesIn(folder: string): readonly [releases: string, current: string] {
  return [join(folder, 'releases'), join(folder, 'current')];
}

/**
 * Deploys to a folder of this machine: each deploy is a release `<folder>/releases/<time>`, and `<folder>/current` is a
 * symbolic link to the last one, replaced by one rename. A web server at `current` never serves half a site, and earlier
 * releases stay for people who want to go back. Unchanged files are hard links.
 *
 * @param folder absolute.
 */
export function folderTarget(folder: string): DeployTarget {
  const [releases, current] = releasesIn(folder);

  async function deploy({ folder: output }: DeployOutput, signal: AbortSignal) {
    if (fs.lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === false)
      throw new PressmarkError(
        'DEPLOY_FAILED',
        'current in the deploy folder is not a symbolic link; move it away, so that Pressmark can make one',
      );
    try {
      fs.mkdirSync(releases, { recursive: true });
      const release = await inProcess<string>(PROCESS, [output, releases, current], signal);
      await switchTo(release, current);
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
