import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { variablesIn } from '../../child-environment.js';
import { PressmarkError } from '../../errors.js';
import { withLines } from './ignore-lines.js';

/** The shortest secret that is not called guessable; generated ones have 43 characters. */
export const MIN_SECRET_CHARS = 24;

/** A random signing secret. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Adds a random signing secret to the site's `.env`, which only its owner can read from then on.
 *
 * @param dir the site's folder.
 */
export function createSecret(dir: string): void {
  const path = join(dir, '.env');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  fs.appendFileSync(path, withLines(before, [`PRESSMARK_SECRET=${newSecret()}`]).slice(before.length), {
    mode: 0o600,
  });
  fs.chmodSync(path, 0o600);
}

/** An unquoted value that Node.js, a shell, Docker and systemd all read alike. */
const PLAIN = /^[\w.+/=:,-]*$/;

/**
 * Sets variables in the text of a `.env`. An existing variable is replaced in place, others are added at the end; undefined
 * removes a variable.
 *
 * @throws PressmarkError USAGE if other variables would change, or a value cannot be written.
 */
export function withVariables(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  let after = text;
  const added: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const line = value === undefined ? '' : `${name}=${PLAIN.test(value) ? value : `'${value}'`}`;
    let isThere = false;
    after = after.replace(
      new RegExp(`^\\ufeff?[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*(\\r?\\n)?`, 'gm'),
      (_, end = '') => {
        const isFirst = !isThere;
        isThere = true;
        return isFirst && line !== '' ? `${line}${end}` : '';
      },
    );
    if (!isThere && line !== '') added.push(line);
  }
  after = withLines(after, added);
  const expected = Object.entries({ ...variablesIn(text), ...variables }).filter(
    ([, value]) => value !== undefined,
  );
  const found = variablesIn(after);
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
