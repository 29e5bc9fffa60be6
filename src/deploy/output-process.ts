// The process that goes through all files of an output for a deploy; `output-task.ts` starts it.
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '../errors.js';
import { versionAt } from '../fs/fingerprint.js';
import { lowerPriority } from '../fs/process-priority.js';
import { filesIn } from './folder-files.js';
import { makeRelease, presentRelease, removeOldReleases } from './releases.js';

/** Something that is done with each file of an output. */
export type OutputTask = {
  /** The output folder, absolute. */
  readonly output: string;
} & (
  | {
      /** Makes a release, and removes old ones. @returns its folder */
      readonly kind: 'release';
      /** The folder of all releases, and the link to the present one; absolute. */
      readonly releases: string;
      readonly current: string;
    }
  | {
      /** Finds what has changed. @returns `OutputChanges` */
      readonly kind: 'changes';
      /** The file that says how the files were before, absolute. How they are now is written beside it, as `<listing>.next`. */
      readonly listing: string;
      /** Whether it counts; otherwise all files have changed. */
      readonly isKnown: boolean;
    }
);

/** The files that are new or changed since, and those that are gone; relative to the output, with forward slashes. */
export interface OutputChanges {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

export type OutputAnswer<Found> =
  | { readonly kind: 'done'; readonly found: Found; readonly skipped: readonly [link: string, why: string][] }
  | { readonly kind: 'failed'; readonly reason: string };

lowerPriority(process.pid); // deliveries go first
process.once('disconnect', () => process.exit()); // the receiver was killed
process.once('message', async (task: OutputTask) => {
  const skipped: [link: string, why: string][] = [];
  const files = () => filesIn(task.output, (link, why) => skipped.push([link, why]));
  let answer: OutputAnswer<string | OutputChanges>;
  try {
    const found = task.kind === 'release' ? await release(task, files) : changes(task, files());
    answer = { kind: 'done', found, skipped };
  } catch (error) {
    answer = { kind: 'failed', reason: messageOf(error) };
  }
  process.send?.(answer, () => process.disconnect());
});

async function release(
  { output, releases, current }: Extract<OutputTask, { kind: 'release' }>,
  files: () => string[],
): Promise<string> {
  const previous = presentRelease(releases, current);
  // The release that the owner has gone back to stays; what a killed deploy has left does not.
  removeOldReleases(releases, previous === undefined ? [] : [basename(previous)]);
  const isSame = (file: string) => areAlike(join(output, file), join(previous ?? '', file));
  return await makeRelease(releases, { output, files: files(), previous, isSame });
}

/** Whether two files have the same size and time: a copy has the time of its original, and a build replaces what it changes. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => fs.statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < CLOCK_MS;
}

/** A copied time is exact to this, in milliseconds. */
const CLOCK_MS = 0.01;

function changes(
  { output, listing, isKnown }: Extract<OutputTask, { kind: 'changes' }>,
  files: readonly string[],
): OutputChanges {
  const before = isKnown
    ? new Map(JSON.parse(fs.readFileSync(listing, 'utf8')) as [string, string][])
    : undefined;
  const now = new Map(
    files.flatMap((file): [string, string][] => {
      const version = versionAt(join(output, file));
      return version === undefined ? [] : [[file, version]]; // a build has removed it since; its deploy follows
    }),
  );
  fs.writeFileSync(`${listing}.next`, JSON.stringify([...now]));
  return {
    written: [...now].filter(([file, version]) => before?.get(file) !== version).map(([file]) => file),
    removed: [...(before?.keys() ?? [])].filter((file) => !now.has(file)),
  };
}
