import { isDeepStrictEqual } from 'node:util';
import { readingYaml, yamlLibrary } from '../../article/front-matter/libraries.js';
import { mapOf, textsOf, type ValueMap } from '../../article/plain-data.js';
import type { FileEdit, Problem, SiteFiles } from '../generator.js';
import { dependencies, firstFile, npmDependencies } from '../inspect/manifests.js';

/** The configuration files. Jekyll reads the first one that exists. */
export const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.toml'] as const;

/** Folders that identify a Jekyll site. */
const FOLDERS = /^_(?:posts|layouts|includes|drafts|sass|plugins|data)\/$/;

/** A line that identifies Jekyll's `_config.yml`. */
const JEKYLL_KEY =
  /^\s*["']?(?:permalink|baseurl|plugins|theme|remote_theme|markdown|kramdown|collections)["']?\s*[:=]/m;

/** The file or folder that identifies a Jekyll site. GitHub Pages needs no configuration. */
export function recognise(files: SiteFiles): string | undefined {
  const path = configPath(files);
  if (path === undefined) {
    const folders = files.list('.');
    return folders.includes('_posts/') && folders.includes('_layouts/') ? '_posts/' : undefined;
  }
  // Hexo's configuration has the same name.
  if (npmDependencies(files).has('hexo')) return undefined;
  const text = files.read(path) ?? '';
  const source = /^source\s*[:=]\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? '.';
  const hasFolders = files.list(source).some((name) => FOLDERS.test(name));
  return usesBundler(files) || hasFolders || JEKYLL_KEY.test(text) ? path : undefined;
}

/** The configuration file that Jekyll reads; undefined if there is none. */
export function configPath(files: SiteFiles): (typeof CONFIG_FILES)[number] | undefined {
  return firstFile(files, CONFIG_FILES);
}

/** Whether the site's `Gemfile` contains Jekyll, so that Bundler finds it. */
export function usesBundler(files: SiteFiles): boolean {
  const gems = dependencies(files);
  return [gems.get('jekyll'), gems.get('github-pages')].includes('Gemfile');
}

/** Files that the site must not publish; `init` and `npm install` create them in its folder. */
const PRIVATE = [
  '.pressmark/',
  'pressmark.config.mjs',
  'package.json',
  'package-lock.json',
  'node_modules/',
  'vendor/*.tgz',
];

/** Jekyll's own excludes, which Jekyll 3 drops as soon as a site has its own `exclude:`. */
const FORGOTTEN = [
  'node_modules/',
  'Gemfile',
  'Gemfile.lock',
  'vendor/bundle/',
  'vendor/cache/',
  'vendor/gems/',
  'vendor/ruby/',
];

/**
 * Excludes Pressmark's files from the site by adding missing entries to `exclude:`.
 *
 * @param excluded the entries that Jekyll excludes.
 * @returns the edit of the configuration; a warning if the file cannot be edited.
 */
export function excludePressmark(
  files: SiteFiles,
  excluded: readonly string[],
  major: number,
): { readonly edits: readonly FileEdit[]; readonly warnings: readonly Problem[] } {
  const path = configPath(files) ?? '_config.yml';
  const text = files.read(path) ?? '';
  const own = path.endsWith('.toml') ? [] : ownExcludes(text);
  const known = new Set([...excluded, ...(own ?? [])].map((item) => item.replace(/^\.?\/|\/$/g, '')));
  // Pressmark's plugins are JavaScript, so other files in the folder are the site's own.
  const hasGuides = files.list('plugins').some((name) => !/\.[cm]?[jt]s$/.test(name));
  const missing = [...PRIVATE, ...(hasGuides ? [] : ['plugins/'])].filter(
    (item) => !known.has(item.replace(/\/$/, '')) && !known.has(item.replace(/\/.*$/, '')),
  );
  if (missing.length === 0) return { edits: [], warnings: [] };
  const added = [...new Set([...missing, ...(major < 4 && own === undefined ? FORGOTTEN : [])])];
  const edited = path.endsWith('.toml') ? undefined : addExcludes(text, added);
  if (edited === undefined) {
    const problem = `Jekyll would publish or watch Pressmark’s files, because exclude lacks ${added.join(', ')}.`;
    const fix = `Add these entries to exclude in ${path}.`;
    return { edits: [], warnings: [{ level: 'warn', text: problem, fix }] };
  }
  const reason = `add ${added.join(', ')} to exclude in ${path}, so that Jekyll neither publishes nor watches Pressmark’s files`;
  return { edits: [{ path, text: edited, reason }], warnings: [] };
}

/** The entries of `exclude:`; undefined if there is none, or if the file is malformed. */
function ownExcludes(config: string): readonly string[] | undefined {
  const { exclude } = configIn(config) ?? {};
  return exclude === undefined ? undefined : textsOf(exclude);
}

/** Parses a configuration like Jekyll; undefined if it is malformed. */
function configIn(text: string): ValueMap | undefined {
  try {
    return mapOf(readingYaml().load(text));
  } catch {
    return undefined;
  }
}

/**
 * Adds entries to the `exclude:` of a `_config.yml`; everything else stays unchanged.
 *
 * @returns undefined if the file's format does not allow it, so that the owner has to do it.
 */
export function addExcludes(config: string, items: readonly string[]): string | undefined {
  const { isMap, isNode, isSeq, parseDocument } = yamlLibrary();
  const { contents } = parseDocument(config, { strict: false });
  const list = isMap(contents) ? contents.get('exclude', true) : undefined;
  const last = isSeq(list) ? list.items.at(-1) : undefined;
  const [start = 0, end = 0] = (isNode(last) ? last : isNode(list) ? list : undefined)?.range ?? [];
  const eol = config.includes('\r\n') ? '\r\n' : '\n';
  let [at, added] = [config.length, ''];
  if (isSeq(list) && list.flow === true) {
    const entries = items.map((item) => JSON.stringify(item)).join(', ');
    [at, added] = last === undefined ? [end - 1, entries] : [end, `, ${entries}`];
  } else {
    const [indent = '  '] = /^ *(?=-)/.exec(config.slice(config.lastIndexOf('\n', start - 1) + 1)) ?? [];
    added = items.map((item) => `${indent}- ${item}${eol}`).join('');
    if (list === undefined) added = `${config === '' ? '' : eol}exclude:${eol}${added}`;
    else at = config.indexOf('\n', end - 1) + 1 || config.length;
    if (at > 0 && config[at - 1] !== '\n') added = `${eol}${added}`;
  }
  const text = `${config.slice(0, at)}${added}${config.slice(at)}`;
  const was = configIn(config);
  const expected = { ...was, exclude: [...((was?.exclude ?? []) as unknown[]), ...items] };
  return was !== undefined && isDeepStrictEqual(configIn(text), expected) ? text : undefined;
}
