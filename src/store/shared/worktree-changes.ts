import fs from 'node:fs';
import { join } from 'node:path';
import { type Stamp, stampOf } from '../../fs/stamp.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, type Entry, readEntry, sameStamp } from '../catalog/entry.js';
import { type Change, isArticlePath } from '../catalog/scan.js';

/** The changes of the work tree that the store has not made; see `createWorktreeChanges`. */
export interface WorktreeChanges {
  /** Runs `work`, which writes a file with this text, and does not report that file. */
  whileWriting(path: string, text: string, work: () => Promise<void>): Promise<void>;
  /**
   * Examines paths that may have changed, and reports those that have.
   *
   * @returns the paths that are being written at this moment and must be examined again.
   */
  look(paths: Iterable<string>): string[];
  /** Remembers the entry of an article that is no longer shared, until its file is gone too. */
  removed(entry: Entry): void;
}

/**
 * Reports files of the work tree that the store has not written: another receiver's articles when they arrive here, and
 * people's edits. Pages are built from them; the store decides nothing by them.
 */
export function createWorktreeChanges(
  content: ContentFolder,
  catalog: Catalog,
  onChange: (changes: readonly Change[]) => void,
): WorktreeChanges {
  const underWay = new Set<string>();
  const removed = new Map<string, Entry>();
  /** The files that were reported or written here, as they were then. */
  const seen = new Map<string, Stamp | undefined>();

  async function whileWriting(path: string, text: string, work: () => Promise<void>): Promise<void> {
    underWay.add(path);
    try {
      await work();
      const stamp = stampAt(path);
      // a person's file that is in the way, or was saved at this moment, is news
      if (stamp !== undefined && fs.readFileSync(join(content.root, path), 'utf8') === text)
        seen.set(path, stamp);
    } finally {
      underWay.delete(path);
    }
  }

  function stampAt(path: string): Stamp | undefined {
    const stat = fs.statSync(join(content.root, path), { throwIfNoEntry: false });
    return stat?.isFile() ? stampOf(stat) : undefined;
  }

  function look(paths: Iterable<string>): string[] {
    const later: string[] = [];
    const changes: Change[] = [];
    for (const path of paths) {
      if (underWay.has(path)) later.push(path);
      else if (isArticlePath(content, path)) changes.push(...changeAt(path));
    }
    if (changes.length > 0) onChange(changes);
    return later;
  }

  function changeAt(path: string): Change[] {
    const stamp = stampAt(path);
    const before = seen.get(path);
    if (seen.has(path) && (stamp === undefined ? before === undefined : before && sameStamp(stamp, before)))
      return [];
    seen.set(path, stamp);
    const known = catalog.get(path) ?? removed.get(path);
    removed.delete(path);
    const after = stamp === undefined ? undefined : readEntry(content, path, known);
    return [{ path, before: known, after }];
  }

  return {
    whileWriting,
    look,
    removed: (entry) => void removed.set(entry.path, entry),
  };
}
