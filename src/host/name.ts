const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Whether a name is valid for a plugin, and for what a plugin adds to URLs, files and commands: words of lower-case letters and
 * digits, joined by hyphens.
 */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}
