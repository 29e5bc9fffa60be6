// The process that makes a release of all files of an output; `folder.ts` starts it.
import { basename, join } from 'node:path';
import { filesIn, statusAt } from '../folder-files.js';
import { makeRelease, presentRelease, removeOldReleases } from '../releases.js';
import { answerParent } from './target-process.js';

/** The precision of a copied time, in milliseconds. */
const CLOCK_MS = 0.01;

await answerParent(release);

/** @returns the folder of the new release. */
async function release(output: string, releases: string, current: string): Promise<string> {
  const previous = presentRelease(releases, current);
  // The owner may have gone back to an earlier release, which stays; leftovers of a killed deploy are removed.
  removeOldReleases(releases, previous === undefined ? [] : [basename(previous)]);
  const isSame = (file: string) => areAlike(join(output, file), join(previous ?? '', file));
  return makeRelease(releases, { output, files: filesIn(output), previous, isSame });
}

/** Whether two files have the same size and modification time: copies keep their times, and a build replaces changed files. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map(statusAt);
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < CLOCK_MS;
}
