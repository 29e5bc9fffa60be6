import { hideInLog, SHORTEST_HIDDEN } from '../../log.js';
import type { OptionFault } from '../admin/settings-form.js';
import { invalid } from '../invalid.js';
import type { Plugin, PluginEntry } from '../plugin.js';

/** The options of a plugin as its schema returns them. @throws PressmarkError PLUGIN_INVALID */
export async function parsedOptions({ plugin, options, origin }: PluginEntry): Promise<unknown> {
  const who = `plugin ${plugin.name} (${origin})`;
  if (plugin.options === undefined) {
    if (options === undefined) return undefined;
    throw invalid(`${who} takes no options; remove them from the config`);
  }
  const checked = await checkOptions(plugin, options);
  if (checked.kind === 'fine') return checked.value;
  const faults = checked.faults.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
  throw invalid(`${who}: its options are wrong: ${faults.join('; ')}`);
}

/** The result of checking options by a plugin's schema. */
export type CheckedOptions =
  | { readonly kind: 'fine'; readonly value: unknown }
  | { readonly kind: 'wrong'; readonly faults: readonly OptionFault[] };

/** Checks options by the plugin's schema. */
export async function checkOptions({ options: schema }: Plugin, options: unknown): Promise<CheckedOptions> {
  if (schema === undefined) return { kind: 'fine', value: undefined };
  const result = await schema['~standard'].validate(options ?? {});
  if (result.issues === undefined) return { kind: 'fine', value: result.value };
  const faults = result.issues.map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
    text: message,
  }));
  return { kind: 'wrong', faults };
}

/**
 * The values of a plugin's secrets. From then on, the log hides them.
 *
 * @throws PressmarkError PLUGIN_INVALID if one is not set, or too short to be hidden.
 */
export function secretsOf(
  { name, secrets = [] }: Plugin,
  origin: string,
  environment: NodeJS.Dict<string>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const variable of secrets) {
    const value = environment[variable];
    if (value === undefined)
      throw invalid(`plugin ${name} (${origin}) needs ${variable}, which is not set; add it to .env`);
    if (value.trim().length < SHORTEST_HIDDEN)
      throw invalid(
        `plugin ${name} (${origin}) needs ${variable} of ${SHORTEST_HIDDEN} characters or more; a shorter one is easily guessed, and cannot be hidden in the log`,
      );
    values[variable] = value;
    hideInLog(value);
  }
  return values;
}
