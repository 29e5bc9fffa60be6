import { dirname, join } from 'node:path';
import { versionAt } from '../../fs/stamp.js';
import { parts } from './long-running-git.js';
import type { Repository } from './repository.js';

/** What changes a text on its way into git. */
const FILTERS = ['filter', 'ident', 'working-tree-encoding'];

/** `git check-ignore` does not run with `GIT_LITERAL_PATHSPECS`. */
export const CHECK_IGNORE = ['--no-literal-pathspecs', 'check-ignore'];

/** How many paths one command has as its arguments. */
const PATHS_PER_LIST = 100;

/** How long rules outside of the repository, such as the user's own, may stay unnoticed, in milliseconds. */
const OUTSIDE_MS = 10_000;

/** Those of some paths whose texts git would change by more than line ends, as `.gitattributes` has it. */
export async function filteredPaths(
  repository: Repository,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(paths)];
  if (wanted.length === 0) return new Set();
  const command = ['check-attr', '-z', '--stdin', ...FILTERS];
  const input = wanted.map((path) => `${path}\0`).join('');
  const basis = basisFor(repository, wanted, '.gitattributes');
  const count = 3 * FILTERS.length * wanted.length;
  const answer =
    basis === undefined
      ? (await repository.git(command, { input })).stdout
      : (await repository.ask(command, input, parts(count, '\0'), { basis })).toString('utf8');
  const filtered = new Set<string>();
  for (const [path = '', , value] of tuples(answer, 3))
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  return filtered;
}

/** Those of some paths that git ignores; what is in the index is not ignored. */
export async function ignoredPaths(
  repository: Repository,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(paths)];
  if (wanted.length === 0) return new Set();
  const ignored = new Set(await matchingPaths(repository, wanted));
  // The command itself would end where a path is in a submodule; and a long-running one has read the index at its start.
  const candidates = [...ignored];
  for (let start = 0; start < candidates.length; start += PATHS_PER_LIST) {
    const some = candidates.slice(start, start + PATHS_PER_LIST);
    const { stdout } = await repository.git(['ls-files', '-z', '--', ...some]);
    for (const path of stdout.split('\0')) ignored.delete(path);
  }
  return ignored;
}

/** Those that a rule would ignore, whatever the index has; in a sparse work tree some rules are in the index only. */
async function matchingPaths(repository: Repository, paths: readonly string[]): Promise<readonly string[]> {
  const place = mayBeSparse(repository) ? [] : ['--no-index'];
  const command = [...CHECK_IGNORE, '-z', '--verbose', '--non-matching', ...place, '--stdin'];
  // After `./`, no character of a path means anything else.
  const input = paths.map((path) => `./${path}\0`).join('');
  const basis = basisFor(repository, paths, '.gitignore');
  const answer =
    basis === undefined
      ? (await repository.git(command, { input, accept: [1] })).stdout
      : (await repository.ask(command, input, parts(4 * paths.length, '\0'), { basis })).toString('utf8');
  const isIgnored = [...tuples(answer, 4)].map(
    ([source = '', , pattern = '']) => source !== '' && !pattern.startsWith('!'),
  );
  return paths.filter((_, index) => isIgnored[index]);
}

/**
 * What the rules for files of one folder are made of: it is another text when they are other rules. Undefined where a
 * long-running git is not to be asked: it keeps the rules of one folder, and in a sparse work tree some are in the index
 * only.
 *
 * @param name of the files that have rules for the folder that they are in.
 */
function basisFor(repository: Repository, paths: readonly string[], name: string): string | undefined {
  const { top, gitDir, commonDir } = repository;
  const [folder, ...others] = new Set(paths.map((path) => dirname(join(top, path))));
  if (folder === undefined || others.length > 0 || mayBeSparse(repository)) return undefined;
  const files = [
    join(commonDir, 'info', name === '.gitignore' ? 'exclude' : 'attributes'),
    join(commonDir, 'config'),
    join(gitDir, 'config.worktree'),
    join(top, name),
  ];
  for (let at = folder; at.length > top.length; at = dirname(at)) files.push(join(at, name));
  return [folder, ...files.map(versionAt), Math.floor(Date.now() / OUTSIDE_MS)].join('\n');
}

/** The file stays when the owner makes the work tree whole again. */
function mayBeSparse({ gitDir }: Repository): boolean {
  return versionAt(join(gitDir, 'info', 'sparse-checkout')) !== undefined;
}

/** The fields of an answer, `size` at a time. */
function* tuples(answer: string, size: number): Iterable<readonly string[]> {
  const fields = answer.split('\0');
  for (let at = 0; at + size < fields.length; at += size) yield fields.slice(at, at + size);
}
