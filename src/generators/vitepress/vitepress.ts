import { posix } from 'node:path';
import { textAt } from '../../article/plain-data.js';
import type { AskedSite, Generator, SiteFacts, SiteFiles } from '../generator.js';
import { answerTo, nodeCommand, pagesIn, pagesOf, shellWord } from '../inspect/ask.js';
import { siteFacts } from '../inspect/facts.js';
import { inferPermalink } from '../inspect/infer-pattern.js';
import { argumentsOf, installedVersion, npmScripts, untestedVersion } from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { buildCommand } from '../inspect/site-build.js';
import { publicAddress } from '../inspect/site-files.js';
import { placeOf, postsFolder, readPosts } from '../inspect/site-posts.js';
import { isArticlePath, KEYS, mapping, slug } from './mapping.js';

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
  addressQuery: (files) => ({ command: askCommand(files), parse: pagesIn }),
  staticFolder: (files) => posix.join(rootOf(files), 'public'),
};

function recognise(files: SiteFiles): string | undefined {
  const folder = rootOf(files) === '.' ? '.vitepress' : `${rootOf(files)}/.vitepress`;
  const names = files.list(folder);
  const config = CONFIG_FILES.find((name) => names.includes(name));
  if (config !== undefined) return `${folder}/${config}`;
  return names.includes('config/') ? `${folder}/config/` : undefined;
}

/** The folder that contains `.vitepress/`, by a script or by the files; `.` for the site's folder. */
function rootOf(files: SiteFiles): string {
  const named = Object.values(npmScripts(files)).flatMap((script) => {
    const [action, root = '-'] = argumentsOf(script, /(?:^|\/)vitepress$/) ?? [];
    return action === 'build' && !root.startsWith('-') ? [root] : [];
  });
  const found = ['.', 'docs'].find((folder) => files.list(`${folder}/.vitepress`).length > 0);
  return (named[0] ?? found ?? '.').replace(/^(?:\.\/)+(?=.)|\/+$/g, '');
}

/** Finds out the facts about a VitePress site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const root = rootOf(files);
  const below = (folder: string) => (root === '.' ? folder : `${root}/${folder}`);
  const answer = await answerTo(site, askCommand(files), 'node -e "resolveConfig()"');
  const source = textAt(answer, 'source') ?? (root === '.' || answer.source === '' ? '' : root);
  const output = textAt(answer, 'output') ?? below('.vitepress/dist');
  const place = placeOf(readPosts(files, source, pagesOf(answer), { isArticlePath, slug }));
  const { file, posts } = place;
  const { below: folder, content, questions } = postsFolder(files, source, place);
  const hasTheme = files.list(below('.vitepress/theme')).some((name) => name.startsWith('index.'));
  const headed = posts.filter(({ path }) => hasHeading(files.read(posix.join(source, path)) ?? ''));
  const titleInBody = posts.length > 0 ? headed.length * 2 > posts.length : !hasTheme;
  return siteFacts({
    posts,
    keys: keysOfPosts(posts, KEYS),
    shared: ['layout', 'pageClass'],
    // VitePress uses the host name only for its sitemap.
    siteUrl: publicAddress(answer.hostname, answer.base ?? ''),
    siteUrlSource: 'sitemap.hostname and base',
    language: textAt(answer, 'lang'),
    content,
    file,
    inferred: inferPermalink(posts),
    usualPermalink: `${posix.join('/', folder, ':slug')}${answer.cleanUrls === true ? '' : '.html'}`,
    output,
    build: await buildCommand(
      site,
      /\bvitepress\s+build\b/,
      `npx vitepress build${root === '.' ? '' : ` ${shellWord(root)}`}`,
      ['build', 'docs:build'],
    ),
    options: { titleInBody: titleInBody || undefined },
    ignore: [`${output}/`, `${below('.vitepress/cache')}/`, 'node_modules/'],
    questions,
    warnings: untestedVersion(installedVersion(files, 'vitepress'), 'VitePress 1.6', [1], 6),
  });
}

/** Whether a page's text begins with a first-level heading. */
function hasHeading(text: string): boolean {
  return /^---\r?\n[\s\S]*?\n---[ \t]*\r?\n\s*(?:# |<h1)/.test(text);
}

/** A command that makes VitePress resolve its configuration and pages. */
function askCommand(files: SiteFiles): string {
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
answer({ pages, source, output, cleanUrls, base, hostname, lang });
`;
  return nodeCommand(script, [rootOf(files)]);
}
