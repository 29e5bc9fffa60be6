import { createRequire } from 'node:module';
import type yamlParser from 'js-yaml';
import type * as tomlParser from 'smol-toml';
import { messageOf, PressmarkError } from '../../errors.js';
import type { SiteFiles } from '../generator.js';

const require = createRequire(import.meta.url);

/** Values of a configuration. Hugo ignores case in keys: here all are lowercase. */
export interface ConfigMap {
  readonly [key: string]: unknown;
}

/** A Hugo site's configuration. */
export interface HugoConfig {
  /** The file, or the folder `config/_default/`, by which the site is recognised. */
  readonly source: string;
  readonly values: ConfigMap;
}

const EXTENSIONS = ['toml', 'yaml', 'yml', 'json'] as const;

/** In the order in which Hugo looks for them. */
export const CONFIG_FILES: readonly string[] = ['hugo', 'config'].flatMap((name) =>
  EXTENSIONS.map((extension) => `${name}.${extension}`),
);

/** Keys by which a `config.json` or `config.toml` is one of Hugo's. */
const HUGO_KEYS = [
  'baseurl',
  'languagecode',
  'defaultcontentlanguage',
  'permalinks',
  'publishdir',
  'enablerobotstxt',
  'markup',
  'module',
  'disablekinds',
];

/** The configuration's file or folder; undefined where the folder is not a Hugo site. */
export function findConfig(files: SiteFiles): string | undefined {
  const root = CONFIG_FILES.find((name) => {
    const text = files.read(name);
    return text !== undefined && (name.startsWith('hugo.') || isHugoConfig(files, name, text));
  });
  if (root !== undefined) return root;
  return configNames(files, 'config/_default').length > 0 && hasHugoFolders(files)
    ? 'config/_default/'
    : undefined;
}

/**
 * Reads the configuration of a production build: the site's file, then `config/_default/`, then `config/production/`.
 *
 * @throws PressmarkError CONFIG_INVALID where a file cannot be parsed; its message names the file.
 */
export function readConfig(files: SiteFiles): HugoConfig | undefined {
  const source = findConfig(files);
  if (source === undefined) return undefined;
  let values: ConfigMap = source.endsWith('/') ? {} : parseConfig(source, files.read(source) ?? '');
  for (const folder of ['config/_default', 'config/production']) {
    for (const name of configNames(files, folder)) {
      const map = parseConfig(`${folder}/${name}`, files.read(`${folder}/${name}`) ?? '');
      // `permalinks.toml` holds what stands below `permalinks`, `menus.de.toml` what stands below `languages.de.menus`.
      const [key = '', language] = name.toLowerCase().split('.').slice(0, -1);
      const own = key === 'hugo' || key === 'config' ? map : { [key]: map };
      values = merged(values, language === undefined ? own : { languages: { [language]: own } });
    }
  }
  return { source, values };
}

function configNames(files: SiteFiles, folder: string): readonly string[] {
  const names = files.list(folder).filter((name) => /^[^.].*\.(?:toml|ya?ml|json)$/.test(name));
  const rank = (name: string) => (/^(?:hugo|config)\./.test(name) ? 0 : 1);
  return names.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function isHugoConfig(files: SiteFiles, name: string, text: string): boolean {
  let values: ConfigMap;
  try {
    values = parseConfig(name, text);
  } catch {
    return false; // another program's; Hugo's own would stop each build
  }
  if ('base_url' in values) return false; // Zola's config.toml
  return HUGO_KEYS.some((key) => key in values) || ('title' in values && hasHugoFolders(files));
}

function hasHugoFolders(files: SiteFiles): boolean {
  return ['layouts', 'themes', 'archetypes', 'content'].some((folder) => files.list(folder).length > 0);
}

function parseConfig(name: string, text: string): ConfigMap {
  try {
    const values = name.endsWith('.toml')
      ? (require('smol-toml') as typeof tomlParser).parse(text)
      : name.endsWith('.json')
        ? (JSON.parse(text) as unknown)
        : (require('js-yaml') as typeof yamlParser).load(text);
    return mapOf(lowercased(values));
  } catch (error) {
    throw new PressmarkError(
      'CONFIG_INVALID',
      `${name} cannot be read: ${messageOf(error).split('\n', 1)[0]}`,
      {
        cause: error,
      },
    );
  }
}

/** A map's value below a path of keys, which are lowercase. */
export function valueAt(values: ConfigMap, ...path: string[]): unknown {
  let value: unknown = values;
  for (const key of path) value = mapOf(value)[key];
  return value;
}

/** The text at a path; undefined where there is none, or an empty one. */
export function textAt(values: ConfigMap, ...path: string[]): string | undefined {
  const value = valueAt(values, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value as a map; empty where it is something else. */
export function mapOf(value: unknown): ConfigMap {
  return isMap(value) ? value : {};
}

/** A value as a list of texts; a single text is a list of one. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');
}

function isMap(value: unknown): value is ConfigMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function lowercased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowercased);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key.toLowerCase(), lowercased(child)]),
  );
}

function merged(base: ConfigMap, over: ConfigMap): ConfigMap {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = base[key];
    result[key] = isMap(below) && isMap(value) ? merged(below, value) : value;
  }
  return result;
}
