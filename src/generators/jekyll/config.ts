import type { SiteFiles } from '../generator.js';

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

/** A line by which a `_config.yml` is Jekyll's. */
const JEKYLL_KEY =
  /^\s*["']?(?:permalink|baseurl|plugins|theme|remote_theme|markdown|kramdown|collections)["']?\s*[:=]/m;

/** The file by which a Jekyll site is recognised. */
export function recognise(files: SiteFiles): string | undefined {
  const path = configPath(files);
  if (path === undefined)
    return usesBundler(files) && files.list('_posts').length > 0 ? 'Gemfile' : undefined;
  // Hexo's configuration has the same name.
  if (/"hexo"\s*:/.test(files.read('package.json') ?? '')) return undefined;
  const text = files.read(path) ?? '';
  const source = /^source\s*[:=]\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? '.';
  const hasFolders = files.list(source).some((name) => JEKYLL_FOLDERS.has(name));
  return usesBundler(files) || hasFolders || JEKYLL_KEY.test(text) ? path : undefined;
}

/** The configuration file that Jekyll reads; undefined where there is none. */
export function configPath(files: SiteFiles): (typeof CONFIG_FILES)[number] | undefined {
  return CONFIG_FILES.find((path) => files.read(path) !== undefined);
}

/** Whether the site's `Gemfile` has Jekyll, so that Bundler finds it. */
export function usesBundler(files: SiteFiles): boolean {
  return /^[^#\n]*\bgem\s*\(?\s*["'](?:jekyll|github-pages)["']/m.test(files.read('Gemfile') ?? '');
}
