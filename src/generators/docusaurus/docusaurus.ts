import { posix } from 'node:path';
import type { KeyNames } from '../../article/format/mapping.js';
import type { AskedSite, Generator, ListedPage, Problem, Question, SiteFacts } from '../generator.js';
import { answerTo, jsonOf, nodeCommand } from '../inspect/ask.js';
import { siteFacts } from '../inspect/facts.js';
import { inferFile, inferPermalink, type SitePost } from '../inspect/infer-pattern.js';
import { firstFile, installedVersion, untestedVersion } from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { buildCommand } from '../inspect/site-build.js';
import { publicAddress } from '../inspect/site-files.js';
import { postsOfRule, readPosts } from '../inspect/site-posts.js';
import { withoutSlash } from '../mapping/site-mapping.js';
import { isArticlePath, KEYS, mapping, ROUTE_BASE, slug } from './mapping.js';

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(
  (extension) => `docusaurus.config.${extension}`,
);

/** The blog of a Docusaurus site, from version 3.3 on. Tested with version 3.10; see docs/docusaurus.md. */
export const docusaurus: Generator = {
  name: 'docusaurus',
  packages: ['@docusaurus/core'],
  recognise: (files) => firstFile(files, CONFIG_FILES),
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'i18n', 'src/theme', 'src/pages'],
  caches: ['build', '.docusaurus', 'node_modules/.cache'],
  addressQuery: () => ({
    command: ASK,
    parse: (printed) => pagesIn({ ...USUAL, ...jsonOf(printed, SHOWN) }),
  }),
  pinsAddresses: true,
  staticFolder: () => 'static',
};

/** Makes Docusaurus load the site. It reads the configuration, the plugins and the posts, and writes `.docusaurus`. */
const ASK = `NODE_ENV=production BABEL_ENV=production ${nodeCommand(`
import path from 'node:path';
import { createRequire } from 'node:module';
const siteDir = process.cwd();
const require = createRequire(path.join(siteDir, 'package.json'));
const { props } = await require('@docusaurus/core/lib/server/site.js').loadSite({ siteDir });
const { url, baseUrl, trailingSlash } = props.siteConfig;
const below = (source) => source.replace(/^@site\\/+/, '');
const blogs = props.plugins
  .filter(({ name }) => name === 'docusaurus-plugin-content-blog')
  .map(({ options, content }) => {
    const posts = content?.blogPosts ?? [];
    const known = [
      ...Object.entries(content?.authorsMap ?? {}),
      ...posts.flatMap(({ metadata }) => metadata.authors.map((author) => [author.key, author])),
    ];
    return {
      path: options.path,
      routeBase: options.routeBasePath,
      knownTagsOnly: options.onInlineTags === 'throw',
      knownAuthorsOnly: options.onInlineAuthors === 'throw',
      stopsUntruncated: options.onUntruncatedBlogPosts === 'throw',
      authors: Object.fromEntries(known.flatMap(([key, { name }]) => (key && name ? [[name, key]] : []))),
      posts: posts.map(({ metadata }) => ({ path: below(metadata.source), address: metadata.permalink })),
    };
  });
answer({ url, baseUrl, trailingSlash, outDir: path.relative(siteDir, props.outDir), language: props.i18n.currentLocale, blogs });
`)}`;

/** A blog of the site. */
interface Blog {
  /** Below the site's folder. */
  readonly path: string;
  readonly routeBase: string;
  readonly authors: Readonly<Record<string, string>>;
  /** Whether a tag that is not in `tags.yml`, or an author who is not in `authors.yml`, stops the build. */
  readonly knownTagsOnly: boolean;
  readonly knownAuthorsOnly: boolean;
  /** Whether a post without a mark of truncation stops the build. */
  readonly stopsUntruncated: boolean;
  /** The posts with their addresses below the origin. */
  readonly posts: readonly ListedPage[];
}

interface DocusaurusAnswer {
  readonly url?: string;
  readonly baseUrl: string;
  readonly trailingSlash?: boolean;
  readonly outDir: string;
  readonly language?: string;
  readonly blogs: readonly Blog[];
}

const USUAL_BLOG: Blog = {
  path: 'blog',
  routeBase: ROUTE_BASE,
  authors: {},
  knownTagsOnly: false,
  knownAuthorsOnly: false,
  stopsUntruncated: false,
  posts: [],
};
const SHOWN = 'node -e "loadSite()"';

const USUAL: DocusaurusAnswer = { baseUrl: '/', outDir: 'build', blogs: [] };

/**
 * The posts with their addresses below the site's URL. Without the setting `trailingSlash`, hosts serve a folder at an address
 * with a slash.
 */
function pagesOf({ posts }: Blog, { baseUrl, trailingSlash }: DocusaurusAnswer): ListedPage[] {
  const base = baseUrl.replace(/\/$/, '');
  return posts.map(({ path, address }) => {
    const below = address.startsWith(`${base}/`) ? address.slice(base.length) : address;
    const bare = withoutSlash(below);
    return { path, address: trailingSlash === false || bare === '/' ? bare : `${bare}/` };
  });
}

function pagesIn(answer: DocusaurusAnswer): ListedPage[] {
  return answer.blogs.flatMap((blog) => pagesOf(blog, answer));
}

/** Finds out the facts about a Docusaurus site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const answer: DocusaurusAnswer = { ...USUAL, ...(await answerTo(site, ASK, SHOWN)) };
  const { blogs, outDir, trailingSlash, language } = answer;
  // The blog of the preset, or else the first one.
  const blog = blogs.find(({ path }) => path === USUAL_BLOG.path) ?? blogs[0] ?? USUAL_BLOG;
  const content = posix.normalize(blog.path).replace(/\/$/, '');
  const routeBase = withoutSlash(posix.join('/', blog.routeBase));
  const posts = readPosts(files, content, pagesOf(blog, answer), { isArticlePath, slug });
  const end = trailingSlash === false ? '' : '/';
  // A post may be a folder, which then has the post's name.
  const file = inferFile(posts.map((post) => ({ ...post, path: post.path.replace(/\/index\.md$/, '.md') })));
  return siteFacts({
    posts,
    keys: keysOf(posts, blog),
    siteUrl: publicAddress(answer.url, answer.baseUrl),
    siteUrlSource: 'url and baseUrl',
    language,
    content,
    file: file?.pattern ?? ':year-:month-:day-:slug.md',
    inferred: inferPermalink(postsOfRule(posts, 'slug')),
    usualPermalink: `${posix.join(routeBase, ':slug')}${end}`,
    output: outDir,
    build: await buildCommand(site, /\bdocusaurus\s+build\b/, 'npx docusaurus build'),
    options: {
      authors: blog.authors,
      knownAuthorsOnly: blog.knownAuthorsOnly || undefined,
      routeBase: routeBase === ROUTE_BASE ? undefined : routeBase,
    },
    ignore: [`${outDir}/`, '.docusaurus/', 'node_modules/'],
    questions: blogQuestions(blogs, content),
    warnings: [
      ...(blog.stopsUntruncated ? [UNTRUNCATED] : []),
      ...untestedVersion(installedVersion(files, '@docusaurus/core'), 'Docusaurus 3.3 on', [3], 3),
    ],
  });
}

const UNTRUNCATED: Problem = {
  level: 'fail',
  text: "The blog has onUntruncatedBlogPosts: 'throw', and articles have no truncation marker, so that each one stops the build.",
  fix: "Set onUntruncatedBlogPosts: 'warn'.",
};

/** The keys that differ from the usual ones, without the key of authors, as posts may name authors in several ways. */
function keysOf(posts: readonly SitePost[], { knownTagsOnly }: Blog): Partial<KeyNames> {
  const { author, ...others } = keysOfPosts(posts, KEYS);
  return { ...others, ...(author === 'author' && { author }), ...(knownTagsOnly && { tags: null }) };
}

function blogQuestions(blogs: readonly Blog[], content: string): Question[] {
  if (blogs.length === 1) return [];
  const found = blogs.length === 0 ? 'no blog' : `several blogs: ${blogs.map(({ path }) => path).join(', ')}`;
  return [
    {
      flag: 'content',
      text: `Docusaurus has ${found}. Which folder are articles stored in?`,
      fallback: content,
    },
  ];
}
