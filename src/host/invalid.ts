import { PressmarkError } from '../errors.js';

/** A mistake in a plugin, or in what its owner has set for it. */
export function invalid(text: string, cause?: unknown): PressmarkError {
  return new PressmarkError('PLUGIN_INVALID', text, { cause });
}

/** What says of a plugin, or of a part of it, what is wrong. */
export function complaintsOf(plugin: string, part = ''): (what: string) => PressmarkError {
  return (what) => invalid(`plugin ${plugin}: ${part}${what}`);
}
