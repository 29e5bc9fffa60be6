import { didYouMean, PressmarkError, quote } from '../errors.js';

/** A mistake in a plugin, or in what its owner has set for it. */
export function invalid(text: string, cause?: unknown): PressmarkError {
  return new PressmarkError('PLUGIN_INVALID', text, { cause });
}

/** Makes the errors about one plugin, or about a part of it. */
export function complaintsOf(plugin: string, part = ''): (what: string) => PressmarkError {
  return (what) => invalid(`plugin ${plugin}: ${part}${what}`);
}

/** Makes the errors about what a plugin asks of a method. @param method such as `articles.list`. */
export function misuseOf(method: string): (what: string) => PressmarkError {
  return (what) => new PressmarkError('USAGE', `${method}: ${what}`);
}

/**
 * Checks that an object of a plugin has no key but those that there are: one that is misspelt would be ignored in silence.
 *
 * @param complain makes the error.
 */
export function checkKeys(
  value: unknown,
  known: readonly string[],
  complain: (what: string) => PressmarkError,
): void {
  if (typeof value !== 'object' || value === null) throw complain(`write an object with ${known.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw complain(
      `it has ${quote(unknown)}, and can have ${known.join(', ')} alone${didYouMean(unknown, known)}`,
    );
}
