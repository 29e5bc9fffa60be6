import { text as readAll } from 'node:stream/consumers';
import { PressmarkError } from '../../errors.js';

/**
 * The secret that `--secret` says; `-` reads it from standard input. Without the option, the secret of this folder's
 * own receiver, as `pressmark send` takes it.
 *
 * @throws PressmarkError USAGE where there is none.
 */
export async function secretOf(given: string | undefined, fallback: string | undefined): Promise<string> {
  if (given === undefined && fallback === undefined)
    throw new PressmarkError(
      'USAGE',
      'there is no secret to sign with; give the one that the receiver holds with --secret, or set PRESSMARK_SECRET',
    );
  return given === '-' ? (await readAll(process.stdin)).trim() : (given ?? fallback ?? '');
}
