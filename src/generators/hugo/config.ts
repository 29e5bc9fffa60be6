import type { SiteFiles } from '../generator.js';
import { isOutside } from '../output-inside.js';
import { knownTimeZone } from '../time-zone.js';
import { mapOf, textsOf, type ValueMap } from '../value.js';

const EXTENSIONS = ['toml', 'yaml', 'yml', 'json'] as const;

/** In the order in which Hugo looks for them. */
export const CONFIG_FILES: readonly string[] = ['hugo', 'config'].flatMap((name) =>
  EXTENSIONS.map((extension) => `${name}.${extension}`),
);

/** A line by which a `config.json` or `config.toml` is one of Hugo's. */
const HUGO_KEY =
  /^\s*[{[]?\s*["']?(?:baseURL|languageCode|defaultContentLanguage|permalinks|publishDir|enableRobotsTXT|markup|module|disableKinds)\b/im;

/** The configuration's file or folder; undefined where the folder is not a Hugo site. */
export function findConfig(files: SiteFiles): string | undefined {
  const root = CONFIG_FILES.find((name) => {
    const text = files.read(name);
    return text !== undefined && (name.startsWith('hugo.') || isHugoConfig(files, text));
  });
  if (root !== undefined) return root;
  const isFolder = files.list('config/_default').some((name) => /^[^.].*\.(?:toml|ya?ml|json)$/.test(name));
  return isFolder && hasHugoFolders(files) ? 'config/_default/' : undefined;
}

function isHugoConfig(files: SiteFiles, text: string): boolean {
  if (/^\s*base_url\s*=/m.test(text)) return false; // Zola's config.toml
  return HUGO_KEY.test(text) || (/^\s*[{[]?\s*["']?title\b/im.test(text) && hasHugoFolders(files));
}

function hasHugoFolders(files: SiteFiles): boolean {
  return ['layouts', 'themes', 'archetypes', 'content'].some((folder) => files.list(folder).length > 0);
}

/** What Hugo says of its configuration. */
export interface HugoConfig {
  readonly baseUrl: string | undefined;
  /** The default language, in lower case, and all of them. */
  readonly language: string;
  readonly languages: readonly string[];
  readonly theme: string | undefined;
  /** The folder that the configuration names; it may be outside of the site's. */
  readonly output: string;
  readonly timeZone: string | undefined;
  readonly rawHtml: boolean;
}

/** Reads what `hugo config` prints: JSON, or the lines of Hugo 0.111, in which maps are as Go prints them. */
export function readConfig(printed: string): HugoConfig {
  const values = printed.trimStart().startsWith('{') ? lowercased(JSON.parse(printed)) : linesOf(printed);
  const text = (key: string) => {
    const value = values[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { markup, languages } = values;
  const renderer = mapOf(mapOf(mapOf(markup).goldmark).renderer);
  const output = text('publishdir') ?? 'public';
  return {
    baseUrl: text('baseurl'),
    language: (text('defaultcontentlanguage') ?? 'en').toLowerCase(),
    languages:
      typeof languages === 'string'
        ? [...languages.matchAll(/(?:^map\[|\] )([\w-]+):map\[/g)].map(([, name = '']) => name.toLowerCase())
        : Object.keys(mapOf(languages)),
    theme:
      textsOf(values.theme)
        .join(', ')
        .replace(/^\[|\]$/g, '') || undefined,
    output: isOutside(output) ? output : output.replace(/^(?:\.?\/)+|\/+$/g, '') || '.',
    timeZone: knownTimeZone(text('timezone')),
    rawHtml: renderer.unsafe === true || (typeof markup === 'string' && /\bunsafe:true\b/.test(markup)),
  };
}

function linesOf(printed: string): ValueMap {
  const lines = [...printed.matchAll(/^([a-z]+) = (.*)$/gm)];
  return Object.fromEntries(lines.map(([, key = '', value = '']) => [key, scalarOf(value)]));
}

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^".*"$/.test(text) ? (JSON.parse(text) as unknown) : text;
}

function lowercased(value: unknown): ValueMap {
  return Object.fromEntries(
    Object.entries(mapOf(value)).map(([key, child]) => [
      key.toLowerCase(),
      typeof child === 'object' && child !== null && !Array.isArray(child) ? lowercased(child) : child,
    ]),
  );
}

/** The content folder in what `hugo config mounts` prints: a JSON value for the site, and one for each module. */
export function readMounts(printed: string): string {
  const site = /^\{[\s\S]*?^\}/m.exec(printed)?.[0] ?? '{}';
  const { mounts } = mapOf(JSON.parse(site));
  const sources = (Array.isArray(mounts) ? mounts : [])
    .map(mapOf)
    .flatMap(({ source, target }) => (target === 'content' && typeof source === 'string' ? [source] : []));
  // Languages may have a folder each, below one or beside one another.
  const [first = 'content', ...others] = sources.map((one) => one.replace(/^\.\//, '').replace(/\/$/, ''));
  if (others.length === 0) return first;
  const parent = first.split('/').slice(0, -1).join('/');
  return parent !== '' && others.every((one) => one.startsWith(`${parent}/`)) ? parent : first;
}
