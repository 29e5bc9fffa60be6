import type { AddressQuery, AskedSite, ListedPage, SiteFacts, SiteFiles } from '../generator.js';
import { nodeCommand, shellWord } from '../inspect/ask.js';
import { inferPermalink, permalinkQuestions } from '../inspect/infer-pattern.js';
import { buildCommand, installedVersion, npmScripts } from '../inspect/manifests.js';
import {
  keysOfPosts,
  keysOption,
  knownTerms,
  POSTS_FOLDERS,
  placeOf,
  readPosts,
  sharedCategory,
  sharedFrontMatter,
} from '../inspect/site-posts.js';
import { mapOf, type ValueMap } from '../value.js';
import { untestedVersion } from '../version.js';
import { isArticlePath, KEYS, slugOfFile } from './mapping.js';

/** How VitePress lists its pages. */
export function addressQuery(files: SiteFiles): AddressQuery {
  return { command: askCommand(files, 'pages'), parse: (printed) => JSON.parse(printed) as ListedPage[] };
}

/** The folder that holds `.vitepress/`, as a script names it or as it is there; `.` for the site's folder. */
export function rootOf(files: SiteFiles): string {
  const named = Object.values(npmScripts(files)).map(
    (script) => /\bvitepress\s+build\s+([\w./-]*\w)/.exec(script)?.[1],
  );
  const found = ['.', 'docs'].find((folder) => files.list(`${folder}/.vitepress`).length > 0);
  return (named.find((root) => root !== undefined) ?? found ?? '.').replace(/^(?:\.\/)+(?=.)|\/+$/g, '');
}

/** What `init` finds out about a VitePress site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
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
  const { folder, file, posts } = placeOf(all);
  const empty = POSTS_FOLDERS.find((name) => files.list(joined(source, name)).length > 0);
  const posted = all.length === 0 ? (empty ?? 'posts') : folder;
  const permalink = inferPermalink(posts);
  const keys = keysOfPosts(posts, KEYS);
  const hasTheme = files.list(below('.vitepress/theme')).some((name) => name.startsWith('index.'));
  const headed = posts.filter(({ path }) => hasHeading(files.read(joined(source, path)) ?? ''));
  const titleInBody = posts.length > 0 ? headed.length * 2 > posts.length : !hasTheme;
  const isUnknown = all.length === 0 && empty === undefined;
  const content = joined(source, posted) || '.';
  return {
    siteUrl: siteUrlOf(answer),
    siteUrlSource: 'sitemap.hostname and base',
    language: text('lang', '') || undefined,
    content,
    file,
    permalink:
      permalink?.pattern ??
      `/${posted === '' ? '' : `${posted}/`}:slug${answer.cleanUrls === true ? '' : '.html'}`,
    output,
    build: await buildOf({ files, ask }, root),
    frontMatter: { ...sharedFrontMatter(posts, ['layout', 'pageClass']), ...sharedCategory(posts, keys) },
    options: { ...(titleInBody && { titleInBody }), ...keysOption(keys), ...knownTerms(posts, keys, {}) },
    edits: [],
    ignore: [`${output}/`, `${below('.vitepress/cache')}/`, 'node_modules/'],
    questions: [
      ...(isUnknown
        ? [
            {
              flag: 'content',
              text: `No folder of posts was found below ${source || '.'}. In which folder do articles belong?`,
              fallback: content,
            } as const,
          ]
        : []),
      ...permalinkQuestions(permalink),
    ],
    warnings: untestedVersion(
      installedVersion(files, 'vitepress'),
      'VitePress 1.6',
      (major, minor) => major === 1 && minor === 6,
    ),
  };
}

/** Whether a page's text begins with a heading of the first level. */
function hasHeading(text: string): boolean {
  return /^---\r?\n[\s\S]*?\n---[ \t]*\r?\n\s*(?:# |<h1)/.test(text);
}

function joined(folder: string, name: string): string {
  return [folder, name].filter((part) => part !== '').join('/');
}

/** The public address, which VitePress knows only for its sitemap. */
function siteUrlOf({ hostname, base }: ValueMap): string | undefined {
  if (typeof hostname !== 'string' || !/^https?:/.test(hostname) || !URL.canParse(hostname)) return undefined;
  return `${new URL(hostname).origin}${typeof base === 'string' ? base.replace(/\/+$/, '') : ''}`;
}

/** The script that builds the site, `build` or `docs:build`, or the command. */
async function buildOf(site: Pick<AskedSite, 'files' | 'ask'>, root: string): Promise<string> {
  const scripts = Object.entries(npmScripts(site.files)).filter(([, script]) =>
    /\bvitepress\s+build\b/.test(script),
  );
  const [name] = scripts.find(([key]) => key === 'build') ?? scripts[0] ?? [];
  if (name !== undefined) return buildCommand(site, shellWord(name));
  return `npx vitepress build${root === '.' ? '' : ` ${shellWord(root)}`}`;
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
