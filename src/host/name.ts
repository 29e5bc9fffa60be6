const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Whether a plugin, or a thing that it names in addresses, files and commands, can have this name: lower-case letters, digits
 * and hyphens.
 */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}
