import type { AskedSite } from '../../../src/generators/generator.js';
import { siteOf } from '../../support/site-files.js';

/**
 * A site whose generator prints what it is told to: the tests of definitions need no generator.
 *
 * @param printed by a part of the command; a command without an answer fails, as where the generator is not installed.
 */
export function askedSite(
  files: Readonly<Record<string, string>>,
  printed: Readonly<Record<string, string>> = {},
): AskedSite & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    files: siteOf(files),
    asked,
    ask: async (command) => {
      asked.push(command);
      const key = Object.keys(printed).find((part) => command.includes(part));
      return key === undefined ? undefined : printed[key];
    },
  };
}
