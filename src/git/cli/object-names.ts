import { PressmarkError } from '../../errors.js';
import { parts } from './lasting-git.js';
import type { Repository } from './repository.js';

/** What git knows under a name. */
export interface NamedObject {
  readonly id: string;
  readonly type: string;
}

const COMMAND = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];

/**
 * What git has under each of these names, such as `HEAD^{commit}` or `main:content/a.md`, undefined for nothing. The
 * lasting process that answers reads refs anew for each question, and looks for new objects where it does not know one.
 *
 * @param names without line ends; see `isAskable`.
 * @throws PressmarkError GIT_FAILED.
 */
export async function objectsNamed(
  { ask }: Pick<Repository, 'ask'>,
  names: readonly string[],
  run: { timeoutMs?: number } = {},
): Promise<(NamedObject | undefined)[]> {
  if (names.length === 0) return [];
  const question = names.map((name) => `${name}\n`).join('');
  const answer = await ask(COMMAND, question, parts(names.length, '\n'), run);
  const lines = answer.toString('utf8').split('\n').slice(0, -1);
  if (lines.length !== names.length) throw new PressmarkError('GIT_FAILED', 'git cat-file answered too much');
  return lines.map((line) => {
    // anything else says that the name is missing or ambiguous, and may have any words of it
    const [, type, id] = /^(commit|tree|blob|tag) ([0-9a-f]{40,64})$/.exec(line) ?? [];
    return type === undefined || id === undefined ? undefined : { id, type };
  });
}

/** Whether a name can be asked for in one line. */
export function isAskable(name: string): boolean {
  return !name.includes('\n') && !name.includes('\0');
}

/** The commit that a ref is at; null where there is none. */
export async function commitAt(repository: Pick<Repository, 'ask'>, ref: string): Promise<string | null> {
  const [found] = await objectsNamed(repository, [`${ref}^{commit}`]);
  return found?.id ?? null;
}
