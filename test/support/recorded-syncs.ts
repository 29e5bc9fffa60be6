// Imported before all others: records which folders are synced, and what is to be known at that moment.

import fs from 'node:fs';
import { join } from 'node:path';

/** What was synced, by path, and what `observe` found just then. */
export const syncs: { readonly path: string; readonly observed: string }[] = [];
/** Set by the test. */
export const recorder = { observe: (_path: string): string => '' };

const { fsync } = fs;
Object.assign(fs, {
  fsync: (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
    syncs.push({ path, observed: recorder.observe(path) });
    fsync(fd, done);
  },
});

/**
 * Copies a folder at each sync from now on: what it holds at that moment is what a process that is killed then leaves. Moments
 * that differ in nothing but a half-written file are one, but for the first.
 *
 * @param copies the folder of the copies.
 * @param now what else the test is to know of each moment.
 */
export function copyAtEachSync<Known extends object>(folder: string, copies: string, now: () => Known) {
  const moments: (Known & { readonly copy: string })[] = [];
  let last = '';
  let isHalfSeen = false;
  const take = () => {
    const known = now();
    const files = filesIn(folder);
    const isHalf = files.some((path) => path.endsWith('.tmp'));
    const all = JSON.stringify([
      files.filter((path) => !path.endsWith('.tmp')).map((path) => [path, fs.readFileSync(path, 'latin1')]),
      Object.values(known).map((one) => (one instanceof Set || one instanceof Map ? [...one] : one)),
    ]);
    if (all === last && (!isHalf || isHalfSeen)) return '';
    last = all;
    isHalfSeen ||= isHalf;
    const copy = join(copies, String(moments.length));
    fs.cpSync(folder, copy, { recursive: true });
    moments.push({ copy, ...known });
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

function filesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
