import { parseEnv } from 'node:util';
import { PressmarkError } from '../../errors.js';
import { withLines } from './change.js';

/** What an unquoted value of `.env` may hold, whoever reads it: Node.js, a shell, Docker or systemd. */
const PLAIN = /^[\w.+/=:,-]*$/;

/**
 * The text of a `.env` with variables set. A variable that is there is replaced where it stands, others are added at the end;
 * undefined removes one.
 *
 * @throws PressmarkError USAGE where the text is such that other variables would change, or a value cannot be written.
 */
export function withVariables(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  let after = text;
  const added: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const line = value === undefined ? '' : `${name}=${PLAIN.test(value) ? value : `'${value}'`}`;
    let isThere = false;
    after = after.replace(
      new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*(\\r?\\n)?`, 'gm'),
      (_, end = '') => {
        const isFirst = !isThere;
        isThere = true;
        return isFirst && line !== '' ? `${line}${end}` : '';
      },
    );
    if (!isThere && line !== '') added.push(line);
  }
  after = withLines(after, added);
  const expected = Object.entries({ ...parseEnv(text), ...variables }).filter(
    ([, value]) => value !== undefined,
  );
  const found = parseEnv(after);
  if (
    Object.keys(found).length !== expected.length ||
    expected.some(([name, value]) => found[name] !== value)
  )
    throw new PressmarkError(
      'USAGE',
      `.env cannot be changed by Pressmark without changing other variables; set ${Object.keys(variables).join(', ')} by hand`,
    );
  return after;
}
