import { dirname, join } from 'node:path';
import { versionAt } from '../../fs/stamp.js';
import { parts } from './lasting-git.js';
import type { Repository } from './repository.js';

/** What changes a text on its way into git. */
const FILTERS = ['filter', 'ident', 'working-tree-encoding'];

/** `git check-ignore` does not run with `GIT_LITERAL_PATHSPECS`. */
export const CHECK_IGNORE = ['--no-literal-pathspecs', 'check-ignore'];

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
  const basis = basisFor(repository, wanted, '.gitignore');
  const candidates = basis === undefined ? wanted : await matchingPaths(repository, wanted, basis);
  if (candidates.length === 0) return new Set();
  const { stdout } = await repository.git([...CHECK_IGNORE, '-z', '--stdin'], {
    input: candidates.map((path) => `${inTree(path)}\0`).join(''),
    accept: [1],
  });
  return new Set(
    stdout
      .split('\0')
      .slice(0, -1)
      .map((path) => path.slice('./'.length)),
  );
}

/** Those that a rule would ignore, whatever the index has: a lasting git has read that at its start. */
async function matchingPaths(
  { ask }: Repository,
  paths: readonly string[],
  basis: string,
): Promise<readonly string[]> {
  const command = [...CHECK_IGNORE, '-z', '--verbose', '--non-matching', '--no-index', '--stdin'];
  const question = paths.map((path) => `${inTree(path)}\0`).join('');
  const answer = await ask(command, question, parts(4 * paths.length, '\0'), { basis });
  const matched = [...tuples(answer.toString('utf8'), 4)].map(([source]) => source !== '');
  return paths.filter((_, index) => matched[index]);
}

/** After `./`, no character of a path means anything else. */
function inTree(path: string): string {
  return `./${path}`;
}

/**
 * What the rules for files of one folder are made of: it is another text when they are other rules. Undefined where a
 * lasting git is not to be asked: it keeps the rules of one folder, and in a sparse work tree some are in the index only.
 *
 * @param name of the files that have rules for the folder that they are in.
 */
function basisFor(
  { top, gitDir, commonDir }: Repository,
  paths: readonly string[],
  name: string,
): string | undefined {
  const [folder, ...others] = new Set(paths.map((path) => dirname(join(top, path))));
  if (folder === undefined || others.length > 0) return undefined;
  const files = [
    join(gitDir, 'info', 'sparse-checkout'),
    join(commonDir, 'info', name === '.gitignore' ? 'exclude' : 'attributes'),
    join(commonDir, 'config'),
    join(gitDir, 'config.worktree'),
    join(top, name),
  ];
  for (let at = folder; at.length > top.length; at = dirname(at)) files.push(join(at, name));
  const [sparse, ...versions] = files.map(versionAt);
  if (sparse !== undefined) return undefined;
  return [folder, ...versions, Math.floor(Date.now() / OUTSIDE_MS)].join('\n');
}

/** The fields of an answer, `size` at a time. */
function* tuples(answer: string, size: number): Iterable<readonly string[]> {
  const fields = answer.split('\0');
  for (let at = 0; at + size < fields.length; at += size) yield fields.slice(at, at + size);
}
