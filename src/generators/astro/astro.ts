import { posix } from 'node:path';
import { byFrequency } from '../../article/plain-data.js';
import type { AskedSite, Generator, Question, SiteFacts, SiteFiles } from '../generator.js';
import { answerTo } from '../inspect/ask.js';
import { authorsIn } from '../inspect/authors.js';
import { siteFacts } from '../inspect/facts.js';
import { firstFile, installedVersion, untestedVersion } from '../inspect/manifests.js';
import { mereNames } from '../inspect/post-fields.js';
import { buildCommand } from '../inspect/site-build.js';
import { filesBelow, publicAddress } from '../inspect/site-files.js';
import { POSTS_FOLDERS, readPosts } from '../inspect/site-posts.js';
import { ASK, type AstroAnswer, answerIn, type Entry, type Route } from './ask.js';
import { fieldsOf, keysIn, neededKeys } from './fields.js';
import { entryId, KEYS, mapping } from './mapping.js';

const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((extension) => `astro.config.${extension}`);

/** The content configuration files, in the order in which Astro looks for them. */
const CONTENT_CONFIGS = ['src/content.config', 'src/content/config'].flatMap((name) =>
  ['mjs', 'js', 'mts', 'ts'].map((extension) => `${name}.${extension}`),
);

/** Astro 5 to 7: Markdown files of a content collection; `.html` files only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  packages: ['astro'],
  recognise: (files) => firstFile(files, CONFIG_FILES),
  inspect,
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    'package.json',
    ...CONTENT_CONFIGS,
    'src/pages',
    'src/layouts',
    'src/components',
  ],
  // Two builds that share `node_modules/.astro` would read each other's articles.
  caches: ['dist', '.astro', 'node_modules/.astro', 'node_modules/.vite'],
};

/** Finds out the facts about an Astro site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const answer = answerIn(await answerTo(site, ASK, 'node -e "sync()" (astro sync)'));
  const { config } = answer;
  const { srcDir, outDir } = config;
  const found = collectionOf(answer);
  const collection = found ?? 'blog';
  const entries = found === undefined ? [] : (answer.entries[found] ?? []);
  const schema = found === undefined ? undefined : keysIn(answer.schemas[found], found);
  const content = contentOf(entries) ?? `${srcDir}/content/${collection}`;
  const pages = entries.map(({ path }) => ({ path, address: '' }));
  const isArticlePath = (path: string) => /\.(?:mdx?|html)$/.test(path);
  const posts = readPosts(files, content, pages, { isArticlePath, slug: entryId });
  // Nothing of Astro's completes a name and leaves an address as it is, wherever the file is.
  const completes = (key: string) => mereNames({ files, content }, posts, key).length > 0;
  const { keys, options, hasKnownTags } = fieldsOf(
    schema,
    posts,
    (key) => fetchesPictures(files, config, key) || completes(key),
  );
  const usual: Readonly<Record<string, unknown>> = { ...KEYS };
  // A schema that completes names calls the key optional, but may make the name of a missing file if a post lacks it.
  const demanded = schema?.map((key) => (completes(key.name) ? { ...key, isRequired: true } : key));
  const needed = neededKeys(demanded, posts, keys);
  const [route, ...others] = routesOf(answer.routes, [collection, posix.basename(content)]);
  const permalink = permalinkOf(config, route?.pattern ?? `/${collection}/[slug]`);
  const isFolders = entries.length > 0 && entries.every(({ path }) => /\/index\.[^/]*$/.test(path));
  const questions: Question[] = [...needed.questions];
  if (route === undefined || others.length > 0) {
    const text = `${route === undefined ? 'No page' : 'More than one page'} of the site may show entries of the collection ${collection}. Which address does a new article get?`;
    questions.unshift({ flag: 'permalink', text, fallback: permalink });
  }
  if (found === undefined) {
    const text =
      'Astro has no collection that looks like one of articles. Which folder are articles stored in?';
    questions.unshift({ flag: 'content', text, fallback: content });
  }
  return siteFacts({
    posts,
    keys: Object.fromEntries(Object.entries(keys).filter(([field, key]) => usual[field] !== key)),
    authors: authorsIn(AUTHORS.map((name) => answer.entries[name]).find((one) => one !== undefined)),
    siteUrl: publicAddress(config.site, config.base),
    siteUrlSource: 'site and base',
    language: undefined,
    content,
    file: isFolders ? ':slug/index.md' : ':slug.md',
    usualPermalink: permalink,
    output: outDir,
    build: await buildCommand(site, /\bastro\s+build\b/, 'npx astro build'),
    sharesCategory: !hasKnownTags,
    frontMatter: needed.constants,
    options: {
      ...options,
      htmlFiles: answer.htmlFiles.includes(collection) || undefined,
      fetchesImages: config.fetchesImages || undefined,
    },
    ignore: [`${outDir}/`, '.astro/', 'node_modules/'],
    questions,
    warnings: untestedVersion(installedVersion(files, 'astro'), 'Astro 5 to 7', [5, 6, 7]),
  });
}

/** The collection for articles: the one with a usual name, else the only one, or the only one with a date. */
function collectionOf({ schemas, entries }: AstroAnswer): string | undefined {
  const names = [...new Set([...Object.keys(schemas), ...Object.keys(entries)])];
  const dated = names.filter((name) => keysIn(schemas[name], name)?.some(({ kind }) => kind === 'date'));
  const usual = POSTS_FOLDERS.find((name) => names.includes(name));
  return usual ?? [names, dated].find(({ length }) => length === 1)?.[0];
}

/** The usual names of a collection of authors. */
const AUTHORS = ['authors', 'author', 'people', 'team', 'writers', 'contributors'];

/** The folder of a collection: the prefix that most of its files have before their ids. */
function contentOf(entries: readonly Entry[]): string | undefined {
  const folders = entries.map(({ id, path }) => {
    const stem = path.replace(/\.[^./]*$/, '').replace(/\/index$/, '');
    return stem.split('/').slice(0, -id.split('/').length).join('/');
  });
  return byFrequency(folders)[0];
}

/**
 * The routes that may show an entry: those with one parameter, at the end. Routes below the collection's name or folder come
 * first.
 */
function routesOf(routes: readonly Route[], names: readonly string[]): readonly Route[] {
  const dynamic = routes.filter(
    ({ pattern, params: [name = '', ...others] }) =>
      others.length === 0 &&
      /\/\[[^/]*\]$/.test(pattern) &&
      !pattern.includes('/_') && // Astro's own, such as `/_server-islands/[name]`
      !/^(?:\.\.\.)?(?:tags?|page|category|author)$/.test(name),
  );
  const named = dynamic.filter(({ pattern }) => pattern.split('/').some((part) => names.includes(part)));
  return named.length > 0 ? named : dynamic;
}

function permalinkOf({ format, trailingSlash }: AstroAnswer['config'], pattern: string): string {
  const path = pattern.replace(/\[[^/]*\]$/, ':slug');
  if (format === 'file' || format === 'preserve') return `${path}.html`;
  return trailingSlash === 'never' ? path : `${path}/`;
}

/**
 * Whether a component makes pictures of a key's value that Astro has to fetch, by the component's text: Astro has no answer to
 * this. With a width and a height, Astro fetches a picture only from the hosts in its configuration.
 */
function fetchesPictures(files: SiteFiles, config: AstroAnswer['config'], key: string): boolean {
  const use = new RegExp(
    `<(?:Image|Picture)\\b(?:(?!/>)[\\s\\S])*\\b${key}\\b[\\s\\S]*?/>|\\bgetImage\\s*\\([^)]*\\b${key}\\b`,
    'g',
  );
  return filesBelow(files, config.srcDir)
    .filter((path) => path.endsWith('.astro'))
    .flatMap((path) => files.read(path)?.match(use) ?? [])
    .some((text) => config.fetchesImages || !/\swidth=/.test(text) || !/\sheight=/.test(text));
}
