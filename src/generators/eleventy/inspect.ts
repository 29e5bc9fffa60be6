import { keyPath } from '../../article/format/key-path.js';
import type { KeyNames } from '../../article/mapping.js';
import type { AskedSite, ListedPage, Question, SiteFacts, SiteFiles } from '../generator.js';
import { inferFile, inferPermalink, permalinkQuestions } from '../infer-pattern.js';
import { readPackageJson } from '../package-json.js';
import {
  keysOfPosts,
  postsOfRule,
  readPosts,
  type SitePost,
  sharedFrontMatter,
  tagsOfPosts,
} from '../site-posts.js';
import { mapOf, textsOf } from '../value.js';
import { nodeCommand } from './ask.js';
import { buildCommand, filesBelow, joined } from './config.js';
import { fileSlug, isArticlePath, KEYS } from './mapping.js';
import { CONFIG_ANSWER, configIn, type EleventyConfig, optionsOf, siteData } from './options.js';
import { problems } from './problems.js';

const POSTS_FOLDERS = ['blog', 'posts', 'post', 'articles', 'news', 'notes', 'journal', 'writing', '_posts'];

/** What `init` finds out about an Eleventy site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const printed = await ask(nodeCommand(files, CONFIG_ANSWER), 'node -e "new Eleventy().toJSON()"');
  const answer = mapOf(printed === undefined ? {} : JSON.parse(printed));
  const config = configIn(answer);
  const pages = (answer.pages as readonly ListedPage[] | undefined) ?? [];
  const { input, output } = config;
  const options = optionsOf(files, config);
  const all = readPosts(files, input, pages, { isArticlePath, slug: fileSlug });
  const inferred = inferFile(all, options.timeZone);
  const folder = /^(?:[^:]*\/)?/.exec(inferred?.pattern ?? '')?.[0] ?? '';
  const posts = all.filter(({ path }) => path.startsWith(folder));
  const empty = POSTS_FOLDERS.find((name) => files.list(joined(input, name)).length > 0);
  const below = inferred === undefined ? (empty ?? 'posts') : folder.replace(/\/$/, '');
  const permalink = inferPermalink(postsOfRule(posts, 'permalink'), options.timeZone);
  const siteUrl = siteUrlOf(files, config);
  const keys = keysOf(posts);
  const own = sharedFrontMatter(posts, ['layout']);
  const shared = posts.length === 0 ? layoutOf(files, config) : own;
  const tags = commonTags(posts, options.keptTags ?? []);
  return {
    siteUrl,
    language: siteData(config, ['language', 'lang', 'locale']),
    theme: undefined,
    content: joined(input, below) || '.',
    file: inferred?.pattern.slice(folder.length) ?? ':slug.md',
    permalink: permalink?.pattern ?? `${below === '' ? '' : `/${below}`}/:slug/`,
    output,
    build: buildCommand(files),
    frontMatter: { ...shared, ...(tags.length > 0 && { tags }) },
    options: { ...options, ...(Object.keys(keys).length > 0 && { keys }) },
    edits: [],
    ignore: [`${output}/`, 'node_modules/'],
    questions: [
      ...(siteUrl === undefined
        ? [{ flag: 'site-url' as const, text: 'What is the public address of the site?' }]
        : []),
      ...(inferred === undefined && empty === undefined ? [contentQuestion(input, below)] : []),
      ...permalinkQuestions(permalink),
    ],
    tags: tagsOfPosts(posts, keys.tags ?? KEYS.tags),
    warnings: problems(files, { options }),
  };
}

function contentQuestion(input: string, below: string): Question {
  return {
    flag: 'content',
    text: `No folder of posts was found below ${input || '.'}. In which folder do articles belong?`,
    fallback: joined(input, below),
  };
}

/** The public address: the site's data say it, or the homepage of package.json; the path is that of `pathPrefix`. */
function siteUrlOf(files: SiteFiles, config: EleventyConfig): string | undefined {
  const keys = ['url', 'siteUrl', 'siteURL', 'site_url', 'baseUrl', 'baseURL', 'base_url', 'domain'];
  const found = publicUrl(siteData(config, keys)) ?? publicUrl(readPackageJson(files).homepage);
  if (found === undefined) return undefined;
  const prefix = config.pathPrefix.replace(/^\/+|\/+$/g, '');
  const path = prefix === '' ? found.pathname.replace(/\/+$/, '') : `/${prefix}`;
  return `${found.origin}${path}`;
}

function publicUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string') return undefined;
  const text = /^[\w.-]+\.[a-z]+\/?$/i.test(value) ? `https://${value}` : value;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPublic = /^https?:$/.test(url.protocol) && !['localhost', 'github.com'].includes(url.hostname);
  return isPublic ? url : undefined;
}

/** The keys of the posts. Layouts often process pictures of the repository; only a site that names remote ones can show the service's. */
function keysOf(posts: readonly SitePost[]): Partial<KeyNames> {
  const { image, ...others } = keysOfPosts(posts, KEYS);
  if (image == null) return others;
  const { key, read } = keyPath(image);
  return posts.some(({ data }) => /^https?:\/\//.test(read(data[key]) ?? '')) ? { ...others, image } : others;
}

/** Tags that all posts name themselves and by which templates select them. */
function commonTags(posts: readonly SitePost[], kept: readonly string[]): string[] {
  const [first = [], ...others] = posts.map(({ data }) => textsOf(data.tags));
  return first.filter((tag) => kept.includes(tag) && others.every((tags) => tags.includes(tag)));
}

function layoutOf(files: SiteFiles, { layouts }: EleventyConfig): { layout?: string } {
  const names = filesBelow(files, layouts).map((path) => path.slice(layouts.length + 1));
  const layout = names.find((name) =>
    /(?:^|\/)(?:post|article|blog|blog-post|single)\.(?:njk|liquid|html|webc|11ty\.[cm]?js)$/.test(name),
  );
  return layout === undefined ? {} : { layout };
}
