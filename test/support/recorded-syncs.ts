// Imported before all others: records which folders are synced, and what is to be known at that moment.

import fs from 'node:fs';

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
