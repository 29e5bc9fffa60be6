import yaml from 'js-yaml';
import { tomlLibrary } from '../../article/front-matter/libraries.js';
import { messageOf, PressmarkError } from '../../errors.js';
import type { Problem, SiteFiles } from '../generator.js';
import { isOutside } from '../output-inside.js';
import { npmScripts } from '../package-json.js';
import { isMap, mapOf, type ValueMap } from '../value.js';

/** A Hugo site's configuration. */
export interface HugoConfig {
  /** The file, or the folder `config/_default/`, by which the site is recognised. */
  readonly source: string;
  readonly values: ValueMap;
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
  let values: ValueMap = source.endsWith('/') ? {} : parseConfig(source, files.read(source) ?? '');
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
  let values: ValueMap;
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

function parseConfig(name: string, text: string): ValueMap {
  try {
    const values = name.endsWith('.toml')
      ? tomlLibrary().parse(text)
      : name.endsWith('.json')
        ? (JSON.parse(text) as unknown)
        : yaml.load(text);
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
export function valueAt(values: ValueMap, ...path: string[]): unknown {
  let value: unknown = values;
  for (const key of path) value = mapOf(value)[key];
  return value;
}

/** The text at a path; undefined where there is none, or an empty one. */
export function textAt(values: ValueMap, ...path: string[]): string | undefined {
  const value = valueAt(values, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function lowercased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowercased);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key.toLowerCase(), lowercased(child)]),
  );
}

function merged(base: ValueMap, over: ValueMap): ValueMap {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = base[key];
    result[key] = isMap(below) && isMap(value) ? merged(below, value) : value;
  }
  return result;
}

/** The configuration, or why it cannot be read. */
export function readableConfig(files: SiteFiles): HugoConfig | Problem {
  try {
    return readConfig(files) ?? { source: 'hugo.toml', values: {} };
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    return {
      level: 'fail',
      text: messageOf(error),
      fix: 'Correct the file; `hugo config` shows what Hugo reads.',
    };
  }
}

/** What decides where posts are and which addresses they have. */
export interface SiteShape {
  readonly language: string;
  readonly baseUrl: string | undefined;
  /** Folder of the content of all languages, or of the default language where they have none in common. */
  readonly content: string;
  /** Folder of the default language below `content`, with a slash at the end; empty where there is none. */
  readonly languageFolder: string;
  /** `/en` where the default language has a path of its own; empty otherwise. */
  readonly languagePath: string;
  /** The folder that the configuration names; it may be outside of the site's. */
  readonly output: string;
  readonly timeZone: string | undefined;
  readonly rawHtml: boolean;
}

/** What the configuration says of the default language. */
export function shapeOf({ values }: HugoConfig): SiteShape {
  const languages = mapOf(values.languages);
  const language =
    textAt(values, 'defaultcontentlanguage')?.toLowerCase() ??
    ('en' in languages ? 'en' : (Object.keys(languages)[0] ?? 'en'));
  const own = mapOf(languages[language]);
  const all = cleanFolder(textAt(values, 'contentdir') ?? mountedContent(values, language) ?? 'content');
  const ofLanguage = cleanFolder(textAt(own, 'contentdir') ?? all);
  const isBelow = ofLanguage.startsWith(`${all}/`);
  return {
    language,
    baseUrl: textAt(own, 'baseurl') ?? textAt(values, 'baseurl'),
    content: isBelow ? all : ofLanguage,
    languageFolder: isBelow ? `${ofLanguage.slice(all.length + 1)}/` : '',
    languagePath:
      values.defaultcontentlanguageinsubdir === true && Object.keys(languages).length > 0
        ? `/${language}`
        : '',
    output: cleanOutput(textAt(values, 'publishdir') ?? 'public'),
    timeZone: textAt(own, 'timezone') ?? textAt(values, 'timezone'),
    rawHtml: valueAt(values, 'markup', 'goldmark', 'renderer', 'unsafe') === true,
  };
}

/** A folder's path with forward slashes, without `./` and a slash at its end; `.` for the site's folder. */
export function cleanFolder(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/^(?:\.?\/)+|\/+$/g, '') || '.';
}

/** The same of an output folder, which may be outside of the site's and is then as it was written. */
export function cleanOutput(folder: string): string {
  return isOutside(folder) ? folder : cleanFolder(folder);
}

function mountedContent(values: ValueMap, language: string): string | undefined {
  const mounts = valueAt(values, 'module', 'mounts');
  const sources = (Array.isArray(mounts) ? mounts : [])
    .map(mapOf)
    .filter((mount) => mount.target === 'content' && (mount.lang === undefined || mount.lang === language));
  return sources[0] && textAt(sources[0], 'source');
}

/** The public address without a slash at its end; undefined for a `baseURL` that is not an absolute URL. */
export function siteUrlOf(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !/^https?:\/\/[^/]/i.test(baseUrl)) return undefined;
  return baseUrl.replace(/\/+$/, '');
}

/** `npm run build` where that calls Hugo; `script` is what is called in the end. */
export function buildCommand(files: SiteFiles): { readonly command: string; readonly script: string } {
  const script = npmScripts(files).build ?? '';
  return /(?:^|[\s/&;])hugo(?:\s|$)/.test(script)
    ? { command: 'npm run build', script }
    : { command: 'hugo', script: '' };
}
