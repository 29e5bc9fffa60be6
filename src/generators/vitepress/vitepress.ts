import { posix } from 'node:path';
import { mapOf } from '../../article/plain-data.js';
import type { AddressQuery, AskedSite, Generator, ListedPage, SiteFacts, SiteFiles } from '../generator.js';
import { nodeCommand, shellWord } from '../inspect/ask.js';
import { inferPermalink, permalinkQuestions } from '../inspect/infer-pattern.js';
import { keptTagsOption, tagsInCode } from '../inspect/kept-tags.js';
import { installedVersion, npmDependencies, npmScripts, untestedVersion } from '../inspect/manifests.js';
import { factsOfPosts } from '../inspect/post-fields.js';
import { buildCommand } from '../inspect/site-build.js';
import { filesBelow, filesOfSite, publicAddress } from '../inspect/site-files.js';
import { placeOf, postsFolder, readPosts } from '../inspect/site-posts.js';
import { isArticlePath, KEYS, mapping, slugOfFile } from './mapping.js';

const CONFIG_FILES = ['js', 'ts', 'mjs', 'mts'].map((extension) => `config.${extension}`);

/** VitePress 1; see docs/vitepress.md. */
export const vitepress: Generator = {
  name: 'vitepress',
  packages: ['vitepress'],
  recognise,
  inspect,
  mapping,
  configFiles: [
    'package.json',
    ...['', 'docs/'].flatMap((root) =>
      [...CONFIG_FILES, 'config'].map((name) => `${root}.vitepress/${name}`),
    ),
  ],
  caches: ['', 'docs/'].flatMap((root) => ['cache', 'dist'].map((name) => `${root}.vitepress/${name}`)),
  addressQuery,
  staticFolder: (files) => posix.join(rootOf(files), 'public'),
  problems: () => [],
};

function recognise(files: SiteFiles): string | undefined {
  const folder = rootOf(files) === '.' ? '.vitepress' : `${rootOf(files)}/.vitepress`;
  const names = files.list(folder);
  const config = CONFIG_FILES.find((name) => names.includes(name));
  if (config !== undefined) return `${folder}/${config}`;
  if (names.includes('config/')) return `${folder}/config/`;
  return npmDependencies(files).has('vitepress') ? 'package.json' : undefined;
}

/** Files that may select posts; a page of VitePress is a Vue component. */
const CODE = /\.(?:[cm]?[jt]sx?|vue|md)$/;
const CACHES = /^(?:cache|dist)\/$/;

/** How VitePress lists its pages. */
function addressQuery(files: SiteFiles): AddressQuery {
  return { command: askCommand(files, 'pages') };
}

/** The folder that holds `.vitepress/`, as a script names it or as it is there; `.` for the site's folder. */
function rootOf(files: SiteFiles): string {
  const named = Object.values(npmScripts(files)).map(
    (script) => /\bvitepress\s+build\s+([\w./-]*\w)/.exec(script)?.[1],
  );
  const found = ['.', 'docs'].find((folder) => files.list(`${folder}/.vitepress`).length > 0);
  return (named.find((root) => root !== undefined) ?? found ?? '.').replace(/^(?:\.\/)+(?=.)|\/+$/g, '');
}

/** What `init` finds out about a VitePress site. */
async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const root = rootOf(files);
  const below = (folder: string) => (root === '.' ? folder : `${root}/${folder}`);
  const printed = await ask(
    askCommand(files, '{ pages, source, output, cleanUrls, base, hostname, lang }'),
    'node -e "resolveConfig()"',
  );
  const answer = mapOf(JSON.parse(printed ?? '{}'));
  const text = (key: string, otherwise: string) => {
    const value = answer[key];
    return typeof value === 'string' ? value : otherwise;
  };
  const source = text('source', root === '.' ? '' : root);
  const output = text('output', below('.vitepress/dist'));
  const pages = (answer.pages as readonly ListedPage[] | undefined) ?? [];
  const all = readPosts(files, source, pages, { isArticlePath, slug: slugOfFile });
  const place = placeOf(all);
  const { file, posts } = place;
  const folder = postsFolder(files, source, place);
  const permalink = inferPermalink(posts);
  const { frontMatter, options } = factsOfPosts(posts, KEYS, ['layout', 'pageClass']);
  const hasTheme = files.list(below('.vitepress/theme')).some((name) => name.startsWith('index.'));
  const headed = posts.filter(({ path }) => hasHeading(files.read(posix.join(source, path)) ?? ''));
  const ofPosts = new Set(all.map(({ path }) => posix.join(source, path)));
  const code = [...filesOfSite(files), ...filesBelow(files, below('.vitepress'), CACHES)].filter(
    (path) => !ofPosts.has(path),
  );
  const titleInBody = posts.length > 0 ? headed.length * 2 > posts.length : !hasTheme;
  return {
    // VitePress knows it only for its sitemap.
    siteUrl: publicAddress(answer.hostname, answer.base ?? ''),
    siteUrlSource: 'sitemap.hostname and base',
    language: text('lang', '') || undefined,
    content: folder.content,
    file,
    permalink:
      permalink?.pattern ??
      `${posix.join('/', folder.below, ':slug')}${answer.cleanUrls === true ? '' : '.html'}`,
    output,
    build: await buildCommand(
      { files, ask },
      /\bvitepress\s+build\b/,
      `npx vitepress build${root === '.' ? '' : ` ${shellWord(root)}`}`,
      ['build', 'docs:build'],
    ),
    frontMatter,
    options: {
      ...(titleInBody && { titleInBody }),
      ...options,
      ...keptTagsOption(tagsInCode(files, code, CODE)),
    },
    ignore: [`${output}/`, `${below('.vitepress/cache')}/`, 'node_modules/'],
    questions: [...folder.questions, ...permalinkQuestions(permalink)],
    warnings: untestedVersion(installedVersion(files, 'vitepress'), 'VitePress 1.6', [1], 6),
  };
}

/** Whether a page's text begins with a heading of the first level. */
function hasHeading(text: string): boolean {
  return /^---\r?\n[\s\S]*?\n---[ \t]*\r?\n\s*(?:# |<h1)/.test(text);
}

/**
 * A command that has VitePress resolve its configuration and pages.
 *
 * @param answer JavaScript that makes a value of the variables of the script.
 */
function askCommand(files: SiteFiles, answer: string): string {
  const script = `
import { relative } from 'node:path';
import { resolveConfig } from 'vitepress';
const config = await resolveConfig(process.argv[1], 'build', 'production');
const { cleanUrls, rewrites, site } = config;
const { base, lang } = site;
const hostname = config.sitemap?.hostname;
const below = (path) => relative(process.cwd(), path).replaceAll('\\\\', '/');
const source = below(config.srcDir);
const output = below(config.outDir);
const addressOf = (page) =>
  '/' + (rewrites.map[page] ?? page).replace(/(^|\\/)index\\.md$/, '$1').replace(/\\.md$/, cleanUrls ? '' : '.html');
const pages = config.pages.map((page) => ({
  path: source === '' ? page : source + '/' + page,
  address: addressOf(page),
}));
answer(${answer});
`;
  return nodeCommand(script, [rootOf(files)]);
}
