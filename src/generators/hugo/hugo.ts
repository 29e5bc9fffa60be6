import type { Generator, Problem, SiteFiles, SiteSettings } from '../generator.js';
import { addressQuery, inspect } from './inspect.js';
import { mapping } from './mapping.js';

/** In the order in which Hugo looks for them. */
const CONFIG_FILES: readonly string[] = ['hugo', 'config'].flatMap((name) =>
  ['toml', 'yaml', 'yml', 'json'].map((extension) => `${name}.${extension}`),
);

/** Hugo: docs/hugo.md. All of it was tried with Hugo 0.111. */
export const hugo: Generator = {
  name: 'hugo',
  packages: ['hugo-bin', 'hugo-extended', 'hugo-installer'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'config', 'layouts', 'themes', 'go.mod', 'go.sum', 'package.json'],
  // Not resources/_gen: some sites commit it, so that they build without Sass.
  caches: ['public', '.hugo_build.lock'],
  addressQuery: () => addressQuery,
  pinsAddresses: true,
  staticFolder: () => 'static',
  problems,
};

/** A line by which a `config.json` or `config.toml` is one of Hugo's. */
const HUGO_KEY =
  /^\s*[{[]?\s*["']?(?:baseURL|languageCode|defaultContentLanguage|permalinks|publishDir|enableRobotsTXT|markup|module|disableKinds)\b/im;

/** The configuration's file or folder; undefined where the folder is not a Hugo site. */
function recognise(files: SiteFiles): string | undefined {
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

/** What leaks Pressmark's configuration, or stops all builds. */
function problems(files: SiteFiles, { content }: Pick<SiteSettings, 'content'>): Problem[] {
  const isIgnored = CONFIG_FILES.some((name) => /ignoreFiles[\s\S]*pressmark/i.test(files.read(name) ?? ''));
  if (content.replace(/\/$/, '') !== '.' || isIgnored) return [];
  return [
    {
      level: 'fail',
      text: 'contentDir is the folder of the site itself; Hugo would publish pressmark.config.mjs and stop at package.json.',
      fix: `Add 'pressmark\\.config\\.', 'package(-lock)?\\.json$', '/node_modules/' and '/plugins/' to ignoreFiles, or set contentDir to a folder of its own.`,
    },
  ];
}
