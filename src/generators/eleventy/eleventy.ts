import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { keyPath } from '../../article/format/key-path.js';
import { textsOf } from '../../article/plain-data.js';
import type {
  AddressQuery,
  AskedSite,
  Generator,
  GeneratorOptions,
  SiteFacts,
  SiteFiles,
} from '../generator.js';
import { answerTo, jsonOf, nodeCommand, pagesIn, pagesOf } from '../inspect/ask.js';
import { authorsIn } from '../inspect/authors.js';
import { siteFacts } from '../inspect/facts.js';
import { inferPermalink, type SitePost } from '../inspect/infer-pattern.js';
import {
  argumentsOf,
  firstFile,
  installedVersion,
  npmScripts,
  readPackageJson,
  untestedVersion,
} from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { scriptCommand } from '../inspect/site-build.js';
import { filesBelow, publicAddress } from '../inspect/site-files.js';
import { placedPosts, placeOf, postsFolder, postsOfRule, readPosts } from '../inspect/site-posts.js';
import { USUAL_KEYS } from '../mapping/site-mapping.js';
import { fileSlug, isArticlePath, mapping, SWITCH, tagKey, tagName } from './mapping.js';
import { CONFIG_ANSWER, configIn, type EleventyConfig, hasSwitch, optionsOf, siteData } from './options.js';

/** The configuration files, in the order in which Eleventy looks for them; it reads a `.ts` file only with `--config`. */
const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

const SHOWN = 'node -e "new Eleventy().toJSON()"';

/** Eleventy, from version 2 on. Tested with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  packages: ['@11ty/eleventy'],
  recognise: (files) => firstFile(files, CONFIG_FILES),
  inspect,
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    '.eleventyignore',
    '.gitignore',
    'package.json',
    ...['', 'src/', 'content/', 'site/'].flatMap((input) =>
      ['_data', '_includes', '_layouts'].map((name) => input + name),
    ),
  ],
  caches: ['_site', '.cache'],
  addressQuery,
};

/** The query for Eleventy's list of pages, which also detects that articles run as templates. */
function addressQuery(files: SiteFiles, { templateSwitch }: GeneratorOptions): AddressQuery {
  return {
    command: askCommand(files),
    parse: pagesIn,
    problem: (printed) =>
      templateSwitch === false || hasSwitch(configIn(jsonOf(printed, SHOWN)))
        ? undefined
        : `the configuration gives .md or .html files to another engine, or renames ${SWITCH}, so that Eleventy would run templates in articles; set templateSwitch: false in the options of the generator`,
  };
}

/** Finds out the facts about an Eleventy site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const answer = await answerTo(site, askCommand(files), SHOWN);
  const config = configIn(answer);
  const { input, output } = config;
  const options = optionsOf(files, config);
  const all = readPosts(files, input, pagesOf(answer), { isArticlePath, slug: fileSlug });
  const place = placeOf(all, options.timeZone, placedPosts(all));
  const { file, posts } = place;
  const { below, content, questions } = postsFolder(files, input, place);
  const tags = commonTags(posts, options.keptTags ?? []);
  const script = buildArguments(files) && buildScript(files);
  const layout = posts.length === 0 ? layoutOf(files, config) : undefined;
  return siteFacts({
    posts,
    keys: keysOf(posts),
    shared: ['layout'],
    authors: authorsIn(config.authors),
    siteUrl: siteUrlOf(files, config),
    language: siteData(config, ['language', 'lang', 'locale']),
    content,
    file,
    inferred: inferPermalink(postsOfRule(posts, 'permalink'), options.timeZone),
    usualPermalink: posix.join('/', below, ':slug/'),
    output,
    build: script === undefined ? 'npx @11ty/eleventy' : await scriptCommand(site, script),
    frontMatter: { ...(layout !== undefined && { layout }), ...(tags.length > 0 && { tags }) },
    options: { ...options, tagSlugs: haveOneSlug(posts) ? false : undefined },
    ignore: [`${output}/`, 'node_modules/'],
    questions,
    warnings: untestedVersion(installedVersion(files, '@11ty/eleventy'), 'Eleventy 2 and 3', [2, 3]),
  });
}

/** The public address, from the site's data or the homepage of package.json, with the path from `pathPrefix`. */
function siteUrlOf(files: SiteFiles, config: EleventyConfig): string | undefined {
  const keys = ['url', 'siteUrl', 'siteURL', 'site_url', 'baseUrl', 'baseURL', 'base_url', 'domain'];
  const { pathPrefix } = config;
  const prefix = /[^/]/.test(pathPrefix) ? pathPrefix : undefined;
  const found = [siteData(config, keys), readPackageJson(files).homepage].map((value) => {
    const url = typeof value === 'string' && /^[\w.-]+\.[a-z]+\/?$/i.test(value) ? `https://${value}` : value;
    return publicAddress(url, prefix);
  });
  return found.find(
    (url) => url !== undefined && !/^https?:\/\/(?:localhost|github\.com)(?=[:/]|$)/.test(url),
  );
}

/**
 * The keys of the posts. An image key counts only if posts name remote pictures: layouts often process pictures of the
 * repository, and would fail at the service's.
 */
function keysOf(posts: readonly SitePost[]): ReturnType<typeof keysOfPosts> {
  const { image, ...others } = keysOfPosts(posts, USUAL_KEYS);
  if (image == null) return others;
  const { key, read } = keyPath(image);
  return posts.some(({ data }) => /^https?:\/\//.test(read(data[key]) ?? '')) ? { ...others, image } : others;
}

/**
 * Whether posts have different tags with one slug. Eleventy stops if two tags' pages have one address, so such a site names
 * these pages differently.
 */
function haveOneSlug(posts: readonly SitePost[]): boolean {
  const tags = posts.flatMap(({ data }) => textsOf(data.tags)).filter((tag) => tagName(tag) !== '');
  const count = (keyOf: (tag: string) => string) => new Set(tags.map(keyOf)).size;
  return count(tagName) > count(tagKey);
}

/** The tags that every post has in its own front matter, by which templates select posts. */
function commonTags(posts: readonly SitePost[], kept: readonly string[]): string[] {
  const [first = [], ...others] = posts.map(({ data }) => textsOf(data.tags));
  return first.filter((tag) => kept.includes(tag) && others.every((tags) => tags.includes(tag)));
}

/** The layout for articles, by its name. */
function layoutOf(files: SiteFiles, { layouts }: EleventyConfig): string | undefined {
  const names = filesBelow(files, layouts).map((path) => path.slice(layouts.length + 1));
  return names.find((name) =>
    /(?:^|\/)(?:post|article|blog|blog-post|single)\.(?:njk|liquid|html|webc|11ty\.[cm]?js)$/.test(name),
  );
}

/** The name of the script that builds the site with its styles: `build`, or one for production that calls Eleventy. */
function buildScript(files: SiteFiles): string | undefined {
  const scripts = npmScripts(files);
  if (scripts.build !== undefined) return 'build';
  return ['production', 'prod'].find((name) => /\beleventy\b/.test(scripts[name] ?? ''));
}

/**
 * The arguments for Eleventy in the script that builds the site: `build`, or a script that `build` runs; undefined if there is
 * none.
 */
function buildArguments(files: SiteFiles): readonly string[] | undefined {
  const { build = '', ...others } = npmScripts(files);
  const scripts = Object.entries(others).filter(([name]) => !/serve|watch|start|dev/.test(name));
  return [build, ...scripts.map(([, script]) => script)]
    .map((script) => argumentsOf(script, /^(?:.*\/)?eleventy(?:@.*)?$/))
    .find((args) => args !== undefined);
}

/** A command that makes Eleventy compute all pages without writing any, with the flags of the site's own build script. */
function askCommand(files: SiteFiles): string {
  const type = 'string' as const;
  const options = { input: { type }, output: { type }, config: { type } };
  const { values } = parseArgs({ args: [...(buildArguments(files) ?? [])], strict: false, options });
  return nodeCommand(
    ASK,
    [values.input, values.output, values.config].map((value) => String(value ?? '')),
  );
}

/** The script of the command; see `CONFIG_ANSWER` for its variables. */
const ASK = `
import Eleventy from '@11ty/eleventy';
const [input, output, configPath] = process.argv.slice(1).map((word) => word || undefined);
let user;
const items = [];
const selecting = new Set();
const globs = new Set();
const watched = (api) => {
  for (const name of ['getFilteredByTag', 'getFilteredByTags', 'getFilteredByGlob']) {
    if (Object.hasOwn(api, name)) continue;
    const own = api[name].bind(api);
    api[name] = (...words) => {
      for (const word of words.flat()) (name === 'getFilteredByGlob' ? globs : selecting).add(word);
      return own(...words);
    };
  }
  return api;
};
const eleventy = new Eleventy(input, output, {
  configPath,
  quietMode: true,
  config(given) {
    user = given;
    const add = given.addCollection.bind(given);
    given.addCollection = (name, make) => add(name, (api) => make(watched(api)));
    given.addCollection('pressmark', (api) => {
      items.push(...api.getAll());
      return [];
    });
  },
});
const pages = (await eleventy.toJSON())
  .filter(({ url }) => typeof url === 'string')
  .map(({ inputPath, url }) => ({ path: inputPath, address: url }));
answer(${CONFIG_ANSWER});
`;
