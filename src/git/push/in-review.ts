import type { CommittedFolder } from '../content-folder.js';
import { changesBetween, commitAt, entriesAt, type TreeEntry } from '../objects.js';

/** The ref of the last fetched commit of the base branch. */
export const BASE_REF = 'refs/worktree/pressmark-base';

/** A file in review: it is committed, but not yet in the base branch. */
export interface FileInReview {
  /** From the top of the work tree. */
  readonly path: string;
  readonly entry: TreeEntry;
  /** Whether the base branch has another version of the file. */
  readonly isUpdate: boolean;
}

/**
 * Returns the files of the content folder that a commit has and the last fetched base branch lacks. A file that was merged as
 * part of another commit counts as merged. Undefined before the base branch was fetched.
 */
export async function filesInReview(
  { repository, folder }: CommittedFolder,
  commit: string | null,
): Promise<FileInReview[] | undefined> {
  const base = await commitAt(repository, BASE_REF);
  if (base === null) return undefined;
  if (commit === null) return [];
  const { code, stdout } = await repository.git(['merge-base', base, commit], { accept: [1] });
  const changes = await changesBetween(repository, code === 0 ? stdout.trim() : null, commit, folder);
  const merged = await entriesAt(
    repository,
    base,
    changes.map(({ path }) => path),
  );
  return changes.flatMap(({ path, after }) => {
    const there = merged.get(path);
    return after === null || after.id === there?.id
      ? []
      : [{ path, entry: after, isUpdate: there !== undefined }];
  });
}
