import { didYouMean, PressmarkError, quote } from '../errors.js';

/** An error in a plugin, or in its settings. */
export function invalid(text: string, cause?: unknown): PressmarkError {
  return new PressmarkError('PLUGIN_INVALID', text, { cause });
}

/** Creates a function that makes errors about a plugin, or a part of it. */
export function complaintsOf(plugin: string, part = ''): (what: string) => PressmarkError {
  return (what) => invalid(`plugin ${plugin}: ${part}${what}`);
}

/** Creates a function that makes errors about the arguments of a method. @param method such as `articles.list`. */
export function misuseOf(method: string): (what: string) => PressmarkError {
  return (what) => new PressmarkError('USAGE', `${method}: ${what}`);
}

/**
 * Checks that an object of a plugin has no unknown key: a misspelt one would be ignored in silence.
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
      `it has the unknown key ${quote(unknown)}${didYouMean(unknown, known)}; its keys are ${known.join(', ')}`,
    );
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Whether a name is valid for a plugin, and for what a plugin adds to URLs, files and commands: words of lower-case letters and
 * digits, joined by hyphens.
 */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}
