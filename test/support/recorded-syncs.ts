// Imported before all others: records which folders are synced, and what is to be known at that moment.

import fs from 'node:fs';
import { join } from 'node:path';

/** What was synced, by path, and what `observe` found just then. */
export const syncs: { readonly path: string; readonly observed: string }[] = [];
/** Set by the test. */
export const recorder = { observe: () => '' };

const { fsync } = fs;
Object.assign(fs, {
  fsync: (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    syncs.push({ path: fs.readlinkSync(`/proc/self/fd/${fd}`), observed: recorder.observe() });
    fsync(fd, done);
  },
});

/**
 * Copies a folder at each sync from now on: what it holds at that moment is what a process that is killed then leaves.
 *
 * @param copies the folder of the copies.
 * @param now what else the test is to know of each moment.
 */
export function copyAtEachSync<Known extends object>(folder: string, copies: string, now: () => Known) {
  const moments: (Known & { readonly copy: string })[] = [];
  const take = () => {
    const copy = join(copies, String(moments.length));
    fs.cpSync(folder, copy, { recursive: true });
    moments.push({ copy, ...now() });
    return '';
  };
  recorder.observe = take;
  const stop = () => {
    take();
    recorder.observe = () => '';
    return moments;
  };
  return { take, /** @returns the moments. */ stop };
}
