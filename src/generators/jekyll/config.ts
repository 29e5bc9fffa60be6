import { tomlLibrary, yamlLibrary } from '../../article/front-matter/libraries.js';
import type { SiteFiles } from '../generator.js';
import { isOutside, type Output, outputInside } from '../output-inside.js';
import { npmScripts } from '../package-json.js';
import { mapOf, type ValueMap } from '../value.js';

/** Jekyll reads the first of them that there is. */
export const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.toml'] as const;

const JEKYLL_FOLDERS = new Set([
  '_posts/',
  '_layouts/',
  '_includes/',
  '_drafts/',
  '_sass/',
  '_plugins/',
  '_data/',
]);

const JEKYLL_KEYS = [
  'permalink',
  'baseurl',
  'plugins',
  'theme',
  'remote_theme',
  'markdown',
  'kramdown',
  'collections',
];

/** The file by which a Jekyll site is recognised. */
export function recognise(files: SiteFiles): string | undefined {
  const path = configPath(files);
  if (path === undefined)
    return usesBundler(files) && files.list('_posts').length > 0 ? 'Gemfile' : undefined;
  // Hexo's configuration has the same name.
  if (/"hexo"\s*:/.test(files.read('package.json') ?? '')) return undefined;
  const config = readConfig(files);
  if (usesBundler(files)) return path;
  if (files.list(sourceFolder(config.data)).some((name) => JEKYLL_FOLDERS.has(name))) return path;
  const isJekylls = config.kind === 'read' && JEKYLL_KEYS.some((key) => Object.hasOwn(config.data, key));
  return isJekylls ? path : undefined;
}

/** The configuration file that Jekyll reads; undefined where there is none. */
export function configPath(files: SiteFiles): (typeof CONFIG_FILES)[number] | undefined {
  return CONFIG_FILES.find((path) => files.read(path) !== undefined);
}

type ReadConfig =
  | { readonly kind: 'read'; readonly path: string; readonly data: ValueMap }
  | { readonly kind: 'unreadable'; readonly path: string; readonly data: ValueMap; readonly reason: string };

/** Reads the configuration; an empty one where there is no file. */
export function readConfig(files: SiteFiles): ReadConfig {
  const path = configPath(files);
  if (path === undefined) return { kind: 'read', path: '_config.yml', data: {} };
  const text = files.read(path) ?? '';
  try {
    const data: unknown = path.endsWith('.toml')
      ? tomlLibrary().parse(text)
      : yamlLibrary().parse(text, { version: '1.1' });
    return { kind: 'read', path, data: mapOf(data) };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
    return { kind: 'unreadable', path, data: {}, reason };
  }
}

/** Whether the site's `Gemfile` has Jekyll, so that Bundler finds it. */
export function usesBundler(files: SiteFiles): boolean {
  return /^[^#\n]*\bgem\s*\(?\s*["'](?:jekyll|github-pages)["']/m.test(files.read('Gemfile') ?? '');
}

/** The folder that Jekyll reads; empty for the site's folder. */
export function sourceFolder(config: ValueMap): string {
  return folder(textIn(config, 'source') ?? '');
}

/** A folder's path without `./` and a slash at its end; empty for the site's folder. */
export function folder(path: string): string {
  return path.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '');
}

/** The folder of the posts. */
export function contentFolder(config: ValueMap): string {
  const collections = folder(textIn(config, 'collections_dir') ?? '');
  return [sourceFolder(config), collections, '_posts'].filter((part) => part !== '').join('/');
}

/** The public address: `url` and `baseurl`, or the domain in `CNAME`. */
export function siteUrlOf(files: SiteFiles, config: ValueMap): string | undefined {
  const domain = files.read('CNAME')?.trim();
  const url = textIn(config, 'url') || (domain ? `https://${domain}` : '');
  if (!/^https?:\/\/[^/\s]+/.test(url)) return undefined;
  const base = folder(textIn(config, 'baseurl') ?? '');
  return `${url.replace(/\/+$/, '')}${base === '' ? '' : `/${base}`}`;
}

/** Front matter that `defaults:` gives to every post in the folder `_posts`. */
export function defaultsOfPosts(config: ValueMap): ValueMap {
  const list: readonly unknown[] = Array.isArray(config.defaults) ? config.defaults : [];
  const applying = list.map(mapOf).filter(({ scope }) => {
    const { type = 'posts' } = mapOf(scope);
    return (type === 'posts' || type === 'post') && isScopeOfPosts(scopePath(scope), config);
  });
  // Narrower scopes go first.
  applying.sort((a, b) => width(a) - width(b));
  return Object.assign({}, ...applying.map(({ values }) => mapOf(values)));
}

/** The folder of a scope, relative to the source folder. */
function scopePath(scope: unknown): string {
  return folder(String(mapOf(scope).path ?? ''));
}

/** Whether a scope holds the files of `_posts`. Jekyll compares the beginnings of paths, without `collections_dir`. */
function isScopeOfPosts(path: string, config: ValueMap): boolean {
  const collections = folder(textIn(config, 'collections_dir') ?? '');
  const isBelow = collections !== '' && path.startsWith(`${collections}/`);
  const inCollections = isBelow ? path.slice(collections.length + 1) : path;
  if (path.includes('*') && !isBelow && collections !== '') return false;
  return '_posts/'.startsWith(inCollections) || /^(?:_posts|\*\*?)(?:\/\*\*)*(?:\/\*)?$/.test(inCollections);
}

function width(entry: ValueMap): number {
  return scopePath(entry.scope).length * 2 + (mapOf(entry.scope).type === undefined ? 0 : 1);
}

/** The names of the site's own layouts; those of a theme are not known. */
export function layoutNames(files: SiteFiles, config: ValueMap): readonly string[] {
  const parts = [sourceFolder(config), folder(textIn(config, 'layouts_dir') ?? '_layouts')];
  return files
    .list(parts.filter((part) => part !== '').join('/'))
    .map((name) => name.replace(/\.[^.]+$/, ''));
}

/** Whether layouts may come from a theme. */
export function hasTheme(config: ValueMap): boolean {
  return textIn(config, 'theme') !== undefined || textIn(config, 'remote_theme') !== undefined;
}

/** The folder of the built site, and the command that builds it. */
export function outputOf(files: SiteFiles, config: ValueMap, configFile: string): Output {
  const flag = /(?:--destination|-d)[ =]["']?([^\s"']+)/.exec(buildScript(files) ?? '')?.[1];
  const own = flag ?? textIn(config, 'destination') ?? '_site';
  const source = flag === undefined ? `destination in ${configFile}` : 'The destination in package.json';
  return outputInside(isOutside(own) ? own : folder(own) || '_site', source, 'jekyll', buildCommand(files));
}

/** The `build` script of package.json where it runs Jekyll. */
function buildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build !== undefined && /\bjekyll\b/.test(build) ? build : undefined;
}

/** The command that builds the site as its people do. */
function buildCommand(files: SiteFiles): string {
  if (buildScript(files) !== undefined) return 'npm run build';
  return usesBundler(files) ? 'bundle exec jekyll build' : 'jekyll build';
}

/** The major version of Jekyll, as far as the repository says it. GitHub Pages has Jekyll 3. */
export function majorVersion(files: SiteFiles, config: ValueMap): number | undefined {
  const locked = /^ {4}jekyll \((\d+)\./m.exec(files.read('Gemfile.lock') ?? '')?.[1];
  if (locked !== undefined) return Number(locked);
  const gemfile = (files.read('Gemfile') ?? '').replace(/#.*/g, '');
  if (/["']github-pages["']/.test(gemfile)) return 3;
  const wanted = /\bgem\s*\(?\s*["']jekyll["']\s*,\s*["'](?:~>|=|>=)?\s*(\d+)\./.exec(gemfile)?.[1];
  if (wanted !== undefined) return Number(wanted);
  // Jekyll 3 does not have the key.
  return JSON.stringify(config).includes('"render_with_liquid"') ? 4 : undefined;
}

/** A text of the configuration without white space around it; undefined for an empty one. */
export function textIn(config: ValueMap, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A list of texts; Jekyll splits a text at white space. */
export function listIn(config: ValueMap, key: string): readonly string[] {
  const value = config[key];
  if (typeof value === 'string') return value.split(/\s+/);
  return Array.isArray(value) ? value.map(String) : [];
}
