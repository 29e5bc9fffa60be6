import type { Stamp } from '../../fs/stamp.js';
import type { Catalog } from '../catalog/catalog.js';
import type { ContentFolder } from '../catalog/entry.js';
import { type Change, refresh } from '../catalog/scan.js';

/** A file that has lain still for so long is taken for written, in milliseconds; its watcher has reported it by then. */
const STILL_MS = 2_000;

/**
 * So many files are looked at again at the most, those with the latest time stamps: a program that brings thousands
 * writes one after the other, and those before the last few are whole. A listing names them in any order.
 */
const MOST = 16;

/** Files that were seen to change a moment ago; see `createUnsettled`. */
export interface Unsettled {
  /** Files have changed by another hand. */
  note(changes: readonly Change[]): void;
  /** Reads those again that have changed since, and returns what changed. Costs nothing where nothing has changed lately. */
  look(): Change[];
}

/**
 * Files are not written in one moment by everybody: `cp` makes a file and fills it afterwards. What is seen in
 * between is half a file, with no URL yet perhaps; before anything is decided it is looked at once more, as the
 * watcher may be slower than the delivery.
 *
 * @param isUnderWay whether this process is writing a path just now.
 */
export function createUnsettled(
  content: ContentFolder,
  catalog: Catalog,
  isUnderWay: (path: string) => boolean,
): Unsettled {
  /** When each was last seen to change, by the steady clock, and its time stamp then. */
  const seen = new Map<string, { readonly since: number; readonly mtimeMs: number }>();
  const now = Date.now();
  // what was being written while the start read it
  for (const { path, stamp } of catalog.entries()) if (now - stamp.mtimeMs < STILL_MS) add(path, stamp);

  function add(path: string, { mtimeMs }: Stamp): void {
    seen.set(path, { since: performance.now(), mtimeMs });
    if (seen.size <= MOST) return;
    const [oldest] = [...seen].sort(([, a], [, b]) => a.mtimeMs - b.mtimeMs)[0] ?? [];
    if (oldest !== undefined) seen.delete(oldest);
  }

  function note(changes: readonly Change[]): void {
    for (const { path, after } of changes) {
      if (after === undefined) seen.delete(path);
      else add(path, after.stamp);
    }
  }

  function look(): Change[] {
    const changes: Change[] = [];
    for (const [path, { since }] of [...seen]) {
      // one look more after its time: this process may have been busy since
      if (performance.now() - since > STILL_MS) seen.delete(path);
      if (!isUnderWay(path)) changes.push(...refresh(content, catalog, path));
    }
    return changes;
  }

  return { note, look };
}
