import type { ContentFolder } from '../content-folder.js';
import { commitAt, entriesAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { stagedByOwner } from './next-commits.js';

/** How long git may take to look at all files, in milliseconds. */
const LIMIT_MS = 300_000;

/**
 * The files of the content folder that differ from the branch, as `git status` has it, without those that the owner has
 * staged.
 *
 * @param content the content folder, relative to the site's folder.
 * @returns paths relative to the site's folder.
 */
export async function uncommittedFiles(
  repository: Repository,
  { folder }: Extract<ContentFolder, { kind: 'inside' }>,
  content: string,
): Promise<string[]> {
  const where = folder === '' ? [] : ['--', folder];
  const { stdout } = await repository.git(
    ['status', '--porcelain', '-z', '-uall', '--no-renames', '--ignore-submodules=all', ...where],
    // Without the lock on the index that would speed up the next status: a git command of the owner's would meet it.
    { timeoutMs: LIMIT_MS, background: true },
  );
  const changed: string[] = [];
  const staged: string[] = [];
  for (const line of stdout.split('\0')) {
    const [index, file, path] = [line[0] ?? '', line[1] ?? '', line.slice(3)];
    if (path === '' || file === 'D' || (index === 'D' && file === ' ')) continue;
    if (index === ' ' || index === '?') changed.push(path);
    else staged.push(path);
  }
  const committed = await entriesAt(repository, await commitAt(repository, 'HEAD'), staged);
  const theirs = await stagedByOwner(repository, committed, staged);
  return [...changed, ...staged.filter((path) => !theirs.has(path))].map(
    (path) => `${content}${path.slice(folder.length)}`,
  );
}
