import type { Queue } from './queue.js';
import type { ReplacedTexts } from './replaced-texts.js';

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
  /** When the file was last changed. */
  readonly mtimeMs: number;
}) => Promise<(() => Promise<void>) | undefined>;

/** Another receiver may not have committed a file yet that is younger than this, in milliseconds. */
const YOUNG_MS = 60_000;

/**
 * Returns what keeps replaced texts and has them committed.
 *
 * @param commitEdits whether people's edits are.
 */
export function createKeeping(
  replaced: Pick<ReplacedTexts, 'earlier' | 'keep' | 'drop'>,
  queue: Pick<Queue, 'addReplaced' | 'has'>,
  commitEdits: boolean,
): KeepReplaced {
  return async ({ path, revision, mtimeMs }) => {
    const mayBeUncommitted = Date.now() - mtimeMs < YOUNG_MS || queue.has(path);
    // Before the update itself can come.
    for (const text of await replaced.earlier(path))
      queue.addReplaced({ path, saved: text.name, before: text.before, isOthers: true });
    if (revision === undefined ? !commitEdits : !mayBeUncommitted) return undefined;
    const { name, before } = await replaced.keep(path);
    queue.addReplaced({ path, saved: name, before, revision });
    return () => replaced.drop(name);
  };
}
