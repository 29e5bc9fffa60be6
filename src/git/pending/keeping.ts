import type { Queue } from './commit-queue.js';
import type { ReplacedTexts } from './replaced-texts.js';
import { fileChange } from './waiting.js';

/**
 * Keeps what an article's file holds, on the disk, before an update replaces it: a person's edit, or a text of
 * Pressmark's own that may not be committed yet.
 *
 * @returns what takes that back, for an update that then fails; undefined where nothing had to be kept.
 */
export type KeepReplaced = (replaced: {
  /** Relative to the site's folder. */
  readonly path: string;
  /** Undefined for a person's edit. */
  readonly revision: string | undefined;
}) => Promise<(() => Promise<void>) | undefined>;

/**
 * Returns what keeps replaced texts and has them committed.
 *
 * @param commitEdits whether people's edits are.
 */
export function createKeeping(
  replaced: Pick<ReplacedTexts, 'earlier' | 'isAtHead' | 'keep' | 'drop'>,
  queue: Pick<Queue, 'add' | 'addReplaced' | 'has'>,
  commitEdits: boolean,
): KeepReplaced {
  return async ({ path, revision }) => {
    // Before the update itself can come.
    for (const text of await replaced.earlier(path))
      queue.addReplaced({ path, saved: text.name, before: text.before, isOthers: true });
    const isWanted =
      revision === undefined ? commitEdits : queue.has(path) || !(await replaced.isAtHead(path));
    if (!isWanted) return undefined;
    const { name, before } = await replaced.keep(path);
    queue.addReplaced({ path, saved: name, before, revision });
    return async () => {
      await replaced.drop(name);
      // The file still has the text, and a change that waited for its commit may have been told to read what is dropped.
      queue.add(fileChange(path));
    };
  };
}
