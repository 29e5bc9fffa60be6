// The process that makes a release of all files of an output; `folder.ts` starts it.
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { filesIn } from '../folder-files.js';
import { makeRelease, presentRelease, removeOldReleases } from '../releases.js';

/** The folder of the new release, or why there is none. */
export type ReleaseAnswer =
  | { readonly kind: 'made'; readonly release: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** A copied time is exact to this, in milliseconds. */
const CLOCK_MS = 0.01;

const [, , output = '', releases = '', current = ''] = process.argv;
lowerPriority(process.pid); // deliveries go first
process.once('disconnect', () => process.exit()); // the receiver was killed
const answer = await release().catch(
  (error: unknown): ReleaseAnswer => ({ kind: 'failed', reason: messageOf(error) }),
);
process.send?.(answer, () => process.disconnect());

async function release(): Promise<ReleaseAnswer> {
  const previous = presentRelease(releases, current);
  // The release that the owner has gone back to stays; what a killed deploy has left does not.
  removeOldReleases(releases, previous === undefined ? [] : [basename(previous)]);
  const isSame = (file: string) => areAlike(join(output, file), join(previous ?? '', file));
  const files = filesIn(output);
  return { kind: 'made', release: await makeRelease(releases, { output, files, previous, isSame }) };
}

/** Whether two files have the same size and time: a copy has the time of its original, and a build replaces what it changes. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => fs.statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < CLOCK_MS;
}
