import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { PressmarkError, quote } from '../../errors.js';
import type {
  AskedSite,
  Generator,
  GeneratorOptions,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
} from '../generator.js';
import { siteFacts } from '../inspect/facts.js';
import type { SitePost } from '../inspect/infer-pattern.js';
import { npmDependencies } from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { filesOfSite, folderPath } from '../inspect/site-files.js';
import { placedPosts, placeOf, readPosts } from '../inspect/site-posts.js';
import { USUAL_KEYS } from '../mapping/site-mapping.js';
import { mapping, slug } from './mapping.js';
import { type BuiltBy, configOf, PROGRAMS, programOf } from './programs.js';
import { addressOf } from './routes.js';

/** A program whose code reads a folder of Markdown files, such as Next.js; see docs/markdown-folder.md. */
export const markdownFolder: Generator = {
  name: 'markdown-folder',
  packages: PROGRAMS.map(({ dependency }) => dependency),
  recognise(files) {
    const packages = npmDependencies(files);
    const program = PROGRAMS.find(({ dependency }) => packages.has(dependency));
    return program && configOf(files, program);
  },
  inspect: (site) => inspectFolder(site, programOf),
  mapping,
  configFiles: [
    'package.json',
    ...PROGRAMS.flatMap(({ config }) => ['js', 'mjs', 'cjs', 'ts', 'mts'].map((end) => `${config}.${end}`)),
    'gatsby-node.js',
    'app',
    'pages',
    'src',
  ],
  caches: ['.next', '.svelte-kit', '.cache'],
  staticFolder: (files) => {
    const packages = npmDependencies(files);
    return packages.has('@sveltejs/kit') || packages.has('gatsby') ? 'static' : 'public';
  },
  problems,
};

/** Packages that compile Markdown as MDX or MDC, which run braces and components. */
const COMPILERS = [
  'next-mdx-remote',
  'next-mdx-remote-client',
  'mdx-bundler',
  '@mdx-js/mdx',
  '@nuxt/content',
];

/** Packages that compile `.md` files if the site's configuration says so. */
const CONFIGURED = ['mdsvex', '@next/mdx', 'gatsby-plugin-mdx'];

/** The extension `.md` in a configuration, or a pattern that includes it, such as `/\.mdx?$/`. */
const MD_EXTENSION = /['"`]\.?md['"`]|\bmdx?\?/;

/**
 * The problem of a site that runs the contents of Markdown files, which articles must not do. The configuration is read as text:
 * packages keep their options to themselves, and `doctor` runs no code of the site.
 */
function problems(files: SiteFiles): Problem[] {
  const packages = npmDependencies(files);
  const configs = PROGRAMS.map((program) => files.read(configOf(files, program) ?? '') ?? '');
  const names = configs.some((text) => MD_EXTENSION.test(text)) ? [...COMPILERS, ...CONFIGURED] : COMPILERS;
  const compiler = names.find((name) => packages.has(name));
  if (compiler === undefined) return [];
  return [
    {
      level: 'fail',
      text: `This site has ${compiler}, which runs the contents of braces in Markdown files, so that an article could run code.`,
      fix: 'Render .md files as plain Markdown, and remove the package or limit it to other files.',
    },
  ];
}

/** The keys by which code selects or displays posts. */
const SHARED = ['layout', 'template', 'type', 'lang', 'locale', 'published', 'draft'];

/**
 * Finds out the facts about a site whose own code reads a folder of Markdown files, for `init`: the folder and the keys from
 * the posts, the rest from the program that runs the code.
 *
 * @param program asks that program.
 * @throws PressmarkError USAGE if the folder that the owner has named contains no Markdown file.
 */
export async function inspectFolder(
  site: AskedSite,
  program: (site: AskedSite) => Promise<BuiltBy>,
): Promise<SiteFacts> {
  const { files, content: named } = site;
  const sources = filesOfSite(files);
  const root = folderPath(named ?? '');
  const below = root === '' ? '' : `${root}/`;
  const markdown = sources.filter((path) => path.endsWith('.md') && path.startsWith(below));
  if (named !== undefined && markdown.length === 0)
    throw new PressmarkError(
      'USAGE',
      `nothing was written: ${quote(named, 200)} contains no Markdown file (.md); give the folder from which the site’s code reads its posts`,
    );
  const built = await program(site);
  const isArticlePath = (path: string) => path.endsWith('.md');
  const pages = markdown.map((path) => ({ path, address: '' }));
  const all = readPosts(files, root, pages, { isArticlePath, slug });
  const { folder, file, posts } = placeOf(named === undefined ? placedPosts(all) : all);
  const content = named ?? folder;
  // Code that reads a folder uses the file's name as the slug, including a date.
  const name = (named === undefined ? file : `${folder === '' ? '' : `${folder}/`}${file}`).replace(
    ':year-:month-:day-:slug',
    ':slug',
  );
  const dropping = packageWithoutHtml(npmDependencies(files));
  const { permalink, questions } = addressOf(sources, content, name, built.endsWithSlash ? '/' : '');
  const keys = keysOfPosts(posts, USUAL_KEYS, { files, content: root });
  return siteFacts({
    posts,
    keys,
    shared: SHARED,
    frontMatter: listOfCategories(posts, keys),
    siteUrl: built.siteUrl,
    ...(built.siteUrlSource !== undefined && { siteUrlSource: built.siteUrlSource }),
    language: built.language,
    content: content === '' ? '.' : content,
    file: name,
    usualPermalink: permalink,
    output: built.output,
    build: built.build,
    options: {
      ...datesOf(posts, (path) => files.read(`${below}${path}`) ?? ''),
      rawHtml: dropping === undefined ? true : undefined,
    },
    ignore: [...built.ignore, 'node_modules/'],
    questions: [
      ...(named === undefined && all.length === 0 ? [noPosts(sources)] : []),
      ...built.questions,
      ...questions,
    ],
    warnings: [...(built.warnings ?? []), ...droppedHtml(dropping)],
  });
}

/** An empty list of categories if every post has such a list: the site's code may rely on it. */
function listOfCategories(
  posts: readonly SitePost[],
  { category }: Partial<KeyNames>,
): Record<string, FrontMatterValue> {
  if (category?.endsWith('[]') !== true) return {};
  const { key } = keyPath(category);
  return posts.every(({ data }) => Array.isArray(data[key])) ? { [key]: [] } : {};
}

function noPosts(sources: readonly string[]): Question {
  const mdx = sources.find((path) => path.endsWith('.mdx'));
  const others =
    mdx === undefined
      ? ''
      : ` ${mdx} is MDX, which runs what it contains; articles are never written as MDX.`;
  return {
    flag: 'content',
    text: `No Markdown file (.md) of this site has front matter with a date, so the folder of its posts is not known.${others} Which folder contains the posts?`,
  };
}

/** The form of dates in most posts: with or without quotes, with or without a time. */
function datesOf(
  posts: readonly SitePost[],
  read: (path: string) => string,
): Pick<GeneratorOptions, 'dates'> {
  const written = posts.flatMap(({ path, date }) => {
    const text = read(path);
    const at = text.indexOf(date.slice(0, 10));
    return at === -1 ? [] : [{ isQuoted: /['"]/.test(text.charAt(at - 1)), isDay: date.length <= 10 }];
  });
  const most = (is: (one: (typeof written)[number]) => boolean) =>
    written.filter(is).length * 2 > written.length;
  const isQuoted = most((one) => one.isQuoted);
  const isDay = most((one) => one.isDay);
  if (isDay) return { dates: isQuoted ? 'day-string' : 'day' };
  return isQuoted ? { dates: 'string' } : {};
}

/** Packages that drop HTML in Markdown or show its tags, unless the site's code configures them to keep it. */
const RENDERERS = ['remark-html', 'react-markdown', 'markdown-it', 'remark-rehype'];

/** The package by which the site loses HTML in Markdown; undefined if HTML is kept. */
function packageWithoutHtml(packages: ReadonlySet<string>): string | undefined {
  return packages.has('rehype-raw') ? undefined : RENDERERS.find((name) => packages.has(name));
}

function droppedHtml(dependency: string | undefined): Problem[] {
  if (dependency === undefined) return [];
  return [
    {
      level: 'warn',
      text: `The site’s code renders Markdown with ${dependency}, which drops HTML by default, so that an article without Markdown has an empty page.`,
      fix: 'Configure it to keep HTML, as docs/markdown-folder.md shows, and set rawHtml: true in the options of the generator.',
    },
  ];
}
