import type { IndexEntry } from './index.js';
import type { CommitDraft } from './write-commits.js';

/** A draft of a commit of one file. */
export interface BatchDraft extends CommitDraft {
  readonly mode: string;
  /** Whether there is to be no commit where the owner has staged something at the path, and is about to commit it. */
  readonly yieldsToStaged: boolean;
}

/** The changes of the index that go with the commits of a batch; see `planIndex`. */
export interface IndexPlan<D extends BatchDraft> {
  /** The drafts that yield to what the owner has staged; they get no commit. */
  readonly staged: readonly D[];
  /** The entries that the index does not have yet. */
  readonly entries: readonly IndexEntry[];
  /** The paths of committed articles at which the index keeps what the owner has staged. */
  readonly passedOver: readonly string[];
}

/**
 * Decides which entries of the index a batch replaces: what the owner has staged stays.
 *
 * @param inIndex what the index has at the paths of the drafts where that differs from the tip; the empty name is a removal.
 * @param isIntended whether Pressmark has written an entry for a commit that it did not come to.
 */
export function planIndex<D extends BatchDraft>(
  drafts: readonly D[],
  inIndex: ReadonlyMap<string, string>,
  isIntended: (entry: IndexEntry) => boolean,
): IndexPlan<D> {
  const isDelivered = (path: string, blob: string) =>
    drafts.some((draft) => !draft.yieldsToStaged && draft.path === path && draft.blob.id === blob);
  const owners = new Set(
    [...inIndex]
      .filter(([path, blob]) => !isDelivered(path, blob) && !isIntended({ path, blob }))
      .map(([path]) => path),
  );
  const wanted = entriesOf(drafts);
  return {
    staged: drafts.filter(({ yieldsToStaged, path }) => yieldsToStaged && owners.has(path)),
    entries: wanted.filter(({ path, blob }) => !owners.has(path) && inIndex.get(path) !== blob),
    passedOver: wanted.map(({ path }) => path).filter((path) => owners.has(path)),
  };
}

/** The entries of the last draft of each file. */
export function entriesOf(drafts: readonly BatchDraft[]): IndexEntry[] {
  const last = new Map(drafts.map(({ path, blob, mode }) => [path, { path, blob: blob.id, mode }] as const));
  return [...last.values()];
}
