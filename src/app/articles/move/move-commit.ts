import type { Settings } from '../../../config/load.js';
import { PressmarkError } from '../../../errors.js';
import { readHead } from '../../../git/commit/head.js';
import { identityOf, identityVariables } from '../../../git/commit/identity.js';
import { openRepository, type Repository } from '../../../git/repository.js';
import { commitOnly } from '../../plugins/commit-file.js';

/** The commit of a move, which is prepared before anything is written. */
export interface MoveCommit {
  /** Makes the one commit. @returns its name; null if git has none of the files. */
  commit(message: string): Promise<string | null>;
}

/** A file at the new address: one that the move is going to write, or that an interrupted move may have written. */
export interface MovedFile {
  /** Below the site's folder. */
  readonly file: string;
  /** The file's text after the move. */
  readonly after: string;
  /** Whether the move is going to write it. */
  readonly isPlanned: boolean;
  /** What the move makes of a text that a commit has. */
  moved(committed: string): string;
}

/** A large site and a slow disk. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Prepares the commit of a move: of the files that the last commit has, and of nothing that a person has staged.
 *
 * @returns undefined if nothing is committed in this site.
 * @throws PressmarkError USAGE if the repository is in the middle of something, or a file has uncommitted changes.
 */
export async function prepareMoveCommit(
  settings: Settings,
  files: readonly MovedFile[],
): Promise<MoveCommit | undefined> {
  if (settings.git === false) return undefined;
  const repository = await openRepository(settings.dir, settings.environment, { timeoutMs: TIMEOUT_MS });
  if (repository.kind === 'none') return undefined;
  const { git } = repository;
  const head = await readHead(repository);
  if (head.kind === 'not now')
    throw new PressmarkError(
      'USAGE',
      `nothing was moved: git waits for ${head.waitingFor}; finish that first`,
    );
  if (head.tip === null) return { commit: async () => null };
  const committed = new Set(
    zeroed((await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'])).stdout),
  );
  const changed = await changedFiles(repository);
  const paths: string[] = [];
  const uncommitted: string[] = [];
  for (const { file, isPlanned, ...texts } of files) {
    const path = `${repository.prefix}${file}`;
    if (!committed.has(path)) continue;
    if (changed.has(path) ? await isMoved(path, texts) : isPlanned) paths.push(path);
    else if (isPlanned) uncommitted.push(file);
  }
  if (uncommitted.length > 0)
    throw new PressmarkError(
      'USAGE',
      `nothing was moved: ${uncommitted.slice(0, 5).join(', ')}${uncommitted.length > 5 ? ` and ${uncommitted.length - 5} more` : ''} ${uncommitted.length === 1 ? 'has' : 'have'} changes that no commit has; commit them first, so that the move is a commit of its own`,
    );

  /** Whether a changed file differs from its commit by the move alone, which was interrupted before its commit. */
  async function isMoved(
    path: string,
    { moved, after }: Pick<MovedFile, 'moved' | 'after'>,
  ): Promise<boolean> {
    const before = (await git(['cat-file', 'blob', `HEAD:${path}`])).stdout;
    try {
      return moved(before) === after;
    } catch (error) {
      if (error instanceof PressmarkError) return false; // the commit has something else there
      throw error;
    }
  }

  async function commit(message: string): Promise<string | null> {
    if (repository.kind === 'none' || paths.length === 0) return null;
    const set = typeof settings.git === 'object' ? settings.git.author : undefined;
    return commitOnly(repository, paths, message, identityVariables(await identityOf(git, set)));
  }

  return { commit };
}

/** The files whose text, or whose staged text, is not that of the last commit. */
async function changedFiles({ git }: Repository): Promise<ReadonlySet<string>> {
  const { stdout } = await git(['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames']);
  return new Set(zeroed(stdout).map((line) => line.slice(3)));
}

function zeroed(text: string): string[] {
  return text.split('\0').filter((name) => name !== '');
}
