import { PressmarkError } from '../../errors.js';
import { parts } from './long-running-git.js';
import type { IsLast } from './long-running-process.js';
import type { Repository } from './repository.js';

/** What git knows under a name. */
export interface NamedObject {
  readonly id: string;
  readonly type: string;
}

const COMMAND = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];

/**
 * What git has under each of these names, such as `HEAD^{commit}` or `main:content/a.md`, undefined for nothing, and for a
 * name with a line end, which cannot be asked for. The long-running process that answers reads refs anew for each
 * request, and looks for new objects where it does not know one.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function objectsNamed(
  { ask }: Pick<Repository, 'ask'>,
  names: readonly string[],
  run: { timeoutMs?: number } = {},
): Promise<(NamedObject | undefined)[]> {
  const asked = names.filter((name) => !/[\n\0]/.test(name));
  if (asked.length === 0) return names.map(() => undefined);
  const request = asked.map((name) => `${name}\n`).join('');
  const answer = await ask(COMMAND, request, parts(asked.length, '\n'), run);
  const lines = answer.toString('utf8').split('\n').slice(0, -1);
  if (lines.length !== asked.length) throw new PressmarkError('GIT_FAILED', 'git cat-file answered too much');
  const found = new Map(asked.map((name, index) => [name, objectIn(lines[index] ?? '')]));
  return names.map((name) => found.get(name));
}

/** The object in a line `<type> <name>`. Any other line, such as `… missing` or `… ambiguous`, means no object, or several. */
function objectIn(line: string): NamedObject | undefined {
  const [, type, id] = /^(commit|tree|blob|tag) ([0-9a-f]{40,64})$/.exec(line) ?? [];
  return type === undefined || id === undefined ? undefined : { id, type };
}

/** The commit that a ref is at; null where there is none. */
export async function commitAt(repository: Pick<Repository, 'ask'>, ref: string): Promise<string | null> {
  const [found] = await objectsNamed(repository, [`${ref}^{commit}`]);
  return found?.id ?? null;
}

/**
 * The contents of objects, by their names.
 *
 * @throws PressmarkError GIT_FAILED where one is missing.
 */
export async function contentsOf(
  { ask }: Pick<Repository, 'ask'>,
  ids: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(ids)];
  const contents = new Map<string, Buffer>();
  if (wanted.length === 0) return contents;
  const request = wanted.map((id) => `${id}\n`).join('');
  const answer = await ask(['cat-file', '--batch'], request, objects(wanted.length));
  let at = 0;
  for (const id of wanted) {
    const end = answer.indexOf('\n', at);
    const size = sizeIn(answer.toString('latin1', at, end));
    if (size === undefined) throw new PressmarkError('GIT_FAILED', `the repository lacks the object ${id}`);
    at = end + 1 + size + 1;
    // a copy: the whole answer must not be kept for one object of it
    contents.set(id, Buffer.from(answer.subarray(end + 1, at - 1)));
  }
  return contents;
}

/** The size in a line `<object> <type> <size>`; undefined where it says that there is no such object. */
function sizeIn(line: string): number | undefined {
  const [, size] = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(line) ?? [];
  return size === undefined ? undefined : Number(size);
}

/** An answer of so many objects: each is a line, and where that has a size, so many bytes and a line end. */
function objects(count: number): IsLast {
  let remaining = count;
  let line = '';
  let bytes = 0;
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (bytes > 0) {
        const step = Math.min(bytes, piece.length - at);
        bytes -= step;
        at += step;
        if (bytes === 0) remaining--;
        continue;
      }
      const end = piece.indexOf('\n', at);
      line += piece.toString('latin1', at, end === -1 ? piece.length : end);
      if (end === -1) break;
      const size = sizeIn(line);
      line = '';
      at = end + 1;
      if (size === undefined) remaining--;
      else bytes = size + 1;
    }
    return remaining <= 0;
  };
}
