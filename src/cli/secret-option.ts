import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { PressmarkError } from '../errors.js';

/** `--secret <secret>`. @param fallback what signs without it. */
export function withSecret(command: Command, fallback = 'PRESSMARK_SECRET'): Command {
  return command.option(
    '--secret <secret>',
    `the signing secret, or - to read it from standard input (default: ${fallback})`,
  );
}

/**
 * The secret that `--secret` says; `-` reads it from standard input. Without the option, the secret of this folder's
 * own receiver, as `pressmark send` takes it.
 *
 * @throws PressmarkError USAGE if there is none, or an empty one.
 */
export async function secretOf(given: string | undefined, fallback: string | undefined): Promise<string> {
  const secret = given === '-' ? (await readAll(process.stdin)).trim() : (given ?? fallback);
  if (secret) return secret;
  throw new PressmarkError(
    'USAGE',
    `${secret === undefined ? 'there is no secret to sign with' : 'the secret is empty'}; give the one that the receiver holds with --secret, or set PRESSMARK_SECRET`,
  );
}
