import { PressmarkError } from '../errors.js';

/**
 * Checks that what a file or the config has given is a plugin.
 *
 * @param origin where it came from, for the error.
 * @throws PressmarkError PLUGIN_INVALID.
 */
export function checkPlugin(plugin: unknown, origin: string): void {
  const complain = (what: string) =>
    new PressmarkError(
      'PLUGIN_INVALID',
      `${origin} is not a plugin: ${what}; export default definePlugin({ name, setup })`,
    );
  if (typeof plugin !== 'object' || plugin === null) throw complain('it has no default export');
  const { name, setup }: { name?: unknown; setup?: unknown } = plugin;
  if (typeof name !== 'string' || name === '') throw complain('its name is missing');
  if (typeof setup !== 'function') throw complain('it has no setup function');
}
