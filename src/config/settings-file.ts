import fs from 'node:fs';
import { join } from 'node:path';
import { didYouMean, quote } from '../errors.js';
import { CONFIG_NAMES, invalid, readJson } from './config-file.js';

/** The file beside the config with plugins' options that were set in the admin. It belongs in git. */
export const SETTINGS_FILE = 'pressmark.settings.json';

/** The files that a receiver reads only at its start. */
export const START_FILES = [...CONFIG_NAMES, SETTINGS_FILE, '.env'];

/** The options in the settings file, by the plugin's name. */
export type KeptOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Reads the settings file of a site. If there is none, no plugin has options.
 *
 * @throws PressmarkError CONFIG_INVALID
 */
export function readKeptOptions(dir: string): KeptOptions {
  const path = join(dir, SETTINGS_FILE);
  return fs.existsSync(path) ? optionsIn(readJson(path), path) : {};
}

function optionsIn(file: unknown, path: string): KeptOptions {
  if (!isObject(file)) throw invalid(`${path} must be an object: { "plugins": { … } }`);
  const unknown = Object.keys(file).find((key) => key !== 'plugins');
  if (unknown !== undefined)
    throw invalid(
      `${path} has the key ${quote(unknown)}; the only key is plugins${didYouMean(unknown, ['plugins'])}`,
    );
  const { plugins = {} } = file;
  if (!isObject(plugins))
    throw invalid(`${path}: plugins must be an object with the options of each plugin by its name`);
  for (const [name, options] of Object.entries(plugins))
    if (!isObject(options)) throw invalid(`${path}: plugins.${name} must be an object of options`);
  return plugins as KeptOptions;
}

/**
 * Merges a plugin's options from the config and from the settings file. An option cannot be set in both.
 *
 * @param who the plugin, as the beginning of an error message.
 * @param options the options in the config; undefined if there are none.
 * @throws PressmarkError CONFIG_INVALID
 */
export function withKeptOptions(
  who: string,
  options: unknown,
  kept: Readonly<Record<string, unknown>> | undefined,
): unknown {
  if (kept === undefined || Object.keys(kept).length === 0) return options;
  if (options === undefined) return kept;
  if (!isObject(options))
    throw invalid(
      `${who} has options in the config that are not an object, and others in ${SETTINGS_FILE}; remove one of them`,
    );
  const both = Object.keys(kept).filter((key) => Object.hasOwn(options, key));
  if (both.length > 0)
    throw invalid(
      `${who}: ${both.map((key) => quote(key)).join(', ')} ${both.length === 1 ? 'is' : 'are'} set in the config and in ${SETTINGS_FILE}; remove one of them`,
    );
  return { ...kept, ...options };
}

/** Whether a value is an object, not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
