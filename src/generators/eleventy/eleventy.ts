import { posix } from 'node:path';
import { keyPath } from '../../article/format/key-path.js';
import { defined, textsOf } from '../../article/plain-data.js';
import type {
  AddressQuery,
  AskedSite,
  Generator,
  GeneratorOptions,
  Problem,
  SiteFacts,
  SiteFiles,
  SiteSettings,
} from '../generator.js';
import { nodeCommand } from '../inspect/ask.js';
import { authorsIn } from '../inspect/authors.js';
import { inferPermalink, permalinkQuestions, type SitePost } from '../inspect/infer-pattern.js';
import {
  firstFile,
  installedVersion,
  npmDependencies,
  npmScripts,
  readPackageJson,
  untestedVersion,
} from '../inspect/manifests.js';
import { factsOfPosts, keysOfPosts } from '../inspect/post-fields.js';
import { scriptCommand } from '../inspect/site-build.js';
import { filesBelow, publicAddress } from '../inspect/site-files.js';
import { placedPosts, placeOf, postsFolder, postsOfRule, readPosts } from '../inspect/site-posts.js';
import { USUAL_KEYS } from '../mapping/site-mapping.js';
import { fileSlug, isArticlePath, mapping, SWITCH, tagKey, tagName } from './mapping.js';
import { CONFIG_ANSWER, configIn, type EleventyConfig, optionsOf, siteData } from './options.js';

/** In the order in which Eleventy looks for them; a `.ts` file is read with `--config` alone. */
const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

/** Eleventy, from version 2 on. Measured with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  packages: ['@11ty/eleventy'],
  recognise: (files) =>
    firstFile(files, CONFIG_FILES) ??
    (npmDependencies(files).has('@11ty/eleventy') ? 'package.json' : undefined),
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
  problems,
};

/** A call that gives Markdown or HTML to another engine, or another name of the key that turns templates off. */
const NO_SWITCH = /addExtension\(\s*(?:\[[^\]]*)?['"`](?:md|html)['"`]|\bengineOverride\b/;

/** What runs articles as templates. */
function problems(files: SiteFiles, { options }: Pick<SiteSettings, 'options'>): Problem[] {
  const name = firstFile(files, CONFIG_FILES) ?? '';
  if (!NO_SWITCH.test(files.read(name) ?? '') || options.templateSwitch === false) return [];
  return [
    {
      level: 'fail',
      text: `${name} gives .md or .html files to an engine of its own, or renames ${SWITCH}, so that Eleventy runs templates in articles.`,
      fix: "Set generator: { name: 'eleventy', templateSwitch: false } in pressmark.config.mjs, or remove that line.",
    },
  ];
}

/** How Eleventy lists its pages. */
function addressQuery(files: SiteFiles): AddressQuery {
  return { command: askCommand(files, 'pages') };
}

/** What `init` finds out about an Eleventy site. */
async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const printed = await ask(askCommand(files, CONFIG_ANSWER), 'node -e "new Eleventy().toJSON()"');
  const config = configIn(printed);
  const { input, output } = config;
  const options = optionsOf(files, config);
  const all = readPosts(files, input, config.pages, { isArticlePath, slug: fileSlug });
  const place = placeOf(all, options.timeZone, placedPosts(all));
  const { file, posts } = place;
  const { below, content, questions } = postsFolder(files, input, place);
  const permalink = inferPermalink(postsOfRule(posts, 'permalink'), options.timeZone);
  const ofPosts = factsOfPosts(posts, USUAL_KEYS, ['layout'], authorsIn(config.authors), keysOf(posts));
  const tags = commonTags(posts, options.keptTags ?? []);
  return {
    siteUrl: siteUrlOf(files, config),
    language: siteData(config, ['language', 'lang', 'locale']),
    content,
    file,
    permalink: permalink?.pattern ?? posix.join('/', below, ':slug/'),
    output,
    build:
      npmScripts(files).build !== undefined && buildScript(files) !== ''
        ? await scriptCommand({ files, ask }, 'build')
        : 'npx @11ty/eleventy',
    frontMatter: {
      ...(posts.length === 0 && defined({ layout: layoutOf(files, config) })),
      ...ofPosts.frontMatter,
      ...(tags.length > 0 && { tags }),
    },
    options: { ...options, ...tagSlugsOption(posts), ...ofPosts.options },
    ignore: [`${output}/`, 'node_modules/'],
    questions: [...questions, ...permalinkQuestions(permalink)],
    warnings: untestedVersion(installedVersion(files, '@11ty/eleventy'), 'Eleventy 2 and 3', [2, 3]),
  };
}

/** The public address: the site's data say it, or the homepage of package.json; the path is that of `pathPrefix`. */
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

/** The keys of the posts. Layouts often process pictures of the repository; only a site that names remote ones can show the service's. */
function keysOf(posts: readonly SitePost[]): ReturnType<typeof keysOfPosts> {
  const { image, ...others } = keysOfPosts(posts, USUAL_KEYS);
  if (image == null) return others;
  const { key, read } = keyPath(image);
  return posts.some(({ data }) => /^https?:\/\//.test(read(data[key]) ?? '')) ? { ...others, image } : others;
}

/** Tags that would have one page, at which Eleventy stops: a site with such tags names their pages otherwise. */
function tagSlugsOption(posts: readonly SitePost[]): Pick<GeneratorOptions, 'tagSlugs'> {
  const tags = posts.flatMap(({ data }) => textsOf(data.tags)).filter((tag) => tagName(tag) !== '');
  const count = (keyOf: (tag: string) => string) => new Set(tags.map(keyOf)).size;
  return count(tagName) > count(tagKey) ? { tagSlugs: false } : {};
}

/** Tags that all posts name themselves and by which templates select them. */
function commonTags(posts: readonly SitePost[], kept: readonly string[]): string[] {
  const [first = [], ...others] = posts.map(({ data }) => textsOf(data.tags));
  return first.filter((tag) => kept.includes(tag) && others.every((tags) => tags.includes(tag)));
}

/** A layout for articles, by its name. */
function layoutOf(files: SiteFiles, { layouts }: EleventyConfig): string | undefined {
  const names = filesBelow(files, layouts).map((path) => path.slice(layouts.length + 1));
  return names.find((name) =>
    /(?:^|\/)(?:post|article|blog|blog-post|single)\.(?:njk|liquid|html|webc|11ty\.[cm]?js)$/.test(name),
  );
}

/** The script that builds the site: `build`, or a script that `build` runs; empty if there is none. */
function buildScript(files: SiteFiles): string {
  const { build = '', ...others } = npmScripts(files);
  const scripts = Object.entries(others).filter(([name]) => !/serve|watch|start|dev/.test(name));
  return (
    [build, ...scripts.map(([, script]) => script)].find((script) =>
      /(?:^|[\s/;&|=])(?:@11ty\/)?eleventy(?=$|[\s;&|@])/.test(script),
    ) ?? ''
  );
}

/**
 * A command that has Eleventy make the pages, without writing any. The flags of the site's own build script count.
 *
 * @param answer JavaScript that makes a value of `pages`, `eleventy`, `user` (what the configuration is given), `items`,
 *   `selecting` and `globs` (the tags and the patterns of files by which the configuration selects posts).
 */
function askCommand(files: SiteFiles, answer: string): string {
  const script = `
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
answer(${answer});
`;
  const build = buildScript(files);
  const flags = ['input', 'output', 'config'].map(
    (name) => new RegExp(`\\s--${name}[= ]["']?([^\\s"';&|]+)`).exec(build)?.[1] ?? '',
  );
  return nodeCommand(script, flags);
}
