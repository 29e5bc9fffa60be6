import { splitFrontMatter } from '../../article/front-matter/read.js';
import type { ArticleMapping, FileFacts, FrontMatterValue, KeyNames } from '../../article/mapping.js';
import { PressmarkError, quote } from '../../errors.js';
import type {
  FileEdit,
  Generator,
  GeneratorOptions,
  MappingOptions,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
  SiteSettings,
} from '../generator.js';
import { htmlBlock, IMAGE_MARKER, isSafeMarkdown, markdownBody } from './body.js';
import { type Collection, contentConfigs, folderOf, readCollections, type SchemaKey } from './collections.js';
import {
  argumentOf,
  type ObjectSource,
  objectSource,
  resolved,
  stringOf,
  withoutComments,
} from './js-objects.js';

const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((extension) => `astro.config.${extension}`);

const DEFAULT_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'pubDate',
  updated: null,
  tags: 'tags',
  image: null,
};

/** Names that themes give to a field, the most usual first. */
const NAMES: Readonly<Record<keyof KeyNames, readonly string[]>> = {
  title: ['title', 'headline', 'name'],
  description: ['description', 'excerpt', 'summary', 'snippet', 'subtitle', 'intro'],
  date: [
    'pubDate',
    'date',
    'publishDate',
    'pubDatetime',
    'publishedAt',
    'published',
    'publishedDate',
    'datePublished',
    'publicationDate',
    'createdAt',
    'created',
  ],
  updated: [
    'updatedDate',
    'modDatetime',
    'updateDate',
    'updated',
    'updatedAt',
    'lastmod',
    'lastUpdated',
    'lastModified',
    'modifiedDate',
    'dateModified',
    'modified',
  ],
  tags: ['tags', 'keywords', 'topics', 'labels'],
  image: [
    'heroImage',
    'image',
    'cover',
    'coverImage',
    'ogImage',
    'thumbnail',
    'featuredImage',
    'banner',
    'img',
  ],
};

/** Collections whose name says that they hold articles. */
const BLOG_NAMES = ['blog', 'posts', 'post', 'articles', 'article', 'news', 'writing', 'journal', 'notes'];

/** Plugins for Markdown that read files which an article names. */
const READING_PLUGINS =
  /\b(?:remark-code-import|remark-import|remark-include|remark-embed(?:der)?|rehype-inline)\b/;

/** Astro 5 to 7: Markdown files of a content collection, an `.html` file only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  recognise: (files) =>
    CONFIG_FILES.find((name) => files.read(name) !== undefined) ??
    (/"astro"\s*:/.test(files.read('package.json') ?? '') ? 'package.json' : undefined),
  inspect,
  options: (files) => optionsOf(files, readSite(files)),
  mapping: astroMapping,
  configFiles: [
    ...CONFIG_FILES,
    'package.json',
    ...contentConfigs('src'),
    'src/pages',
    'src/layouts',
    'src/components',
  ],
  // Two builds that share `node_modules/.astro` read each other's articles.
  caches: ['dist', '.astro', 'node_modules/.astro', 'node_modules/.vite'],
  outputFlags: (command, output) =>
    /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?\S+/.test(command) &&
    !/\s--\s/.test(command) &&
    /^(?:npm|pnpm)\b/.test(command)
      ? `-- --outDir ${quoted(output)}`
      : `--outDir ${quoted(output)}`,
  problems,
};

/** An argument of a command line. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

// The site's configuration

interface Site {
  readonly config: ObjectSource;
  readonly configText: string;
  readonly srcDir: string;
  readonly collections: readonly Collection[];
  /** The one that articles go to. */
  readonly collection: Collection | undefined;
}

function readSite(files: SiteFiles): Site {
  const text = withoutComments(
    CONFIG_FILES.map((name) => files.read(name)).find((found) => found !== undefined) ?? '',
  );
  const argument =
    argumentOf(text, /\bdefineConfig\s*\(/) ?? /\bexport\s+default\s+([\s\S]*)/.exec(text)?.[1];
  const config = objectSource(resolved(argument?.trim().replace(/;$/, ''), text));
  const srcDir = folderOf(stringOf(resolved(config.get('srcDir'), text))) ?? 'src';
  const collections = readCollections(files, srcDir);
  const named = BLOG_NAMES.map((name) => collections.find((collection) => collection.name === name));
  const dated = collections.filter(({ schema }) =>
    schema?.keys.some(({ name }) => NAMES.date.includes(name)),
  );
  return {
    config,
    configText: text,
    srcDir,
    collections,
    collection:
      named.find((found) => found !== undefined) ??
      dated[0] ??
      (collections.length === 1 ? collections[0] : undefined),
  };
}

/** A text setting; undefined where the configuration does not have it or computes it. */
const setting = (site: Site, name: string): string | undefined =>
  stringOf(resolved(site.config.get(name), site.configText));

/** The public address with the base path, without a slash at the end. */
function siteUrlOf(site: Site): string | undefined {
  const origin = setting(site, 'site');
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  if (site.config.has('base') && setting(site, 'base') === undefined) return undefined;
  const base = (setting(site, 'base') ?? '').replace(/^\/+|\/+$/g, '');
  return `${new URL(origin).origin}${base === '' ? '' : `/${base}`}`;
}

function optionsOf(files: SiteFiles, site: Site): GeneratorOptions {
  return {
    ...fieldsOf(files, site),
    htmlFiles: site.collection?.readsHtml ?? false,
    fetchesImages: fetchesImages(site),
  };
}

/** The names and types that the schema, or else the site's own posts, give to the fields. */
function fieldsOf(files: SiteFiles, site: Site): Pick<GeneratorOptions, 'keys' | 'dates'> {
  const keys = site.collection?.schema?.keys;
  if (keys === undefined) {
    const used = new Set(postsOf(files, site).flatMap((data) => Object.keys(data)));
    if (used.size === 0) return {};
    const first = (field: keyof KeyNames) => NAMES[field].find((name) => used.has(name));
    return {
      keys: {
        title: first('title') ?? 'title',
        description: first('description') ?? null,
        date: first('date') ?? 'pubDate',
        updated: first('updated') ?? null,
        tags: first('tags') ?? null,
        image: null,
      },
    };
  }
  const find = (field: keyof KeyNames, kinds: readonly SchemaKey['kind'][]) =>
    NAMES[field]
      .map((name) => keys.find((key) => key.name === name && kinds.includes(key.kind)))
      .find((key) => key !== undefined);
  const dateKinds = ['date', 'strict-date', 'string', 'day', 'other'] as const;
  const date = find('date', dateKinds);
  const kind = date?.kind;
  const image = find('image', ['string', 'url', 'image'])?.name;
  return {
    keys: {
      title: find('title', ['string', 'other'])?.name ?? 'title',
      description: find('description', ['string', 'other'])?.name ?? null,
      date: date?.name ?? 'pubDate',
      updated: find('updated', dateKinds)?.name ?? null,
      tags: find('tags', ['list'])?.name ?? null,
      image: image === undefined || makesPictures(files, site, image) ? null : image,
    },
    ...(kind === 'string' ? { dates: 'string' } : {}),
  };
}

/** Whether `image.domains` or `image.remotePatterns` let Astro fetch pictures. */
function fetchesImages(site: Site): boolean {
  const image = objectSource(resolved(site.config.get('image'), site.configText));
  return ['domains', 'remotePatterns'].some((name) => !/^\[\s*\]$/.test(image.get(name) ?? '[]'));
}

/**
 * Whether a component makes pictures of this key's value in a way that a remote one breaks the build: Astro cannot
 * measure it without fetching it, and cannot always fetch it.
 */
function makesPictures(files: SiteFiles, site: Site, key: string): boolean {
  const use = new RegExp(
    `<(?:Image|Picture)\\b(?:(?!/>)[\\s\\S])*\\b${key}\\b[\\s\\S]*?/>|\\bgetImage\\s*\\([^)]*\\b${key}\\b`,
    'g',
  );
  return below(files, site.srcDir, 4)
    .filter((path) => path.endsWith('.astro'))
    .flatMap((path) => [...(files.read(path) ?? '').matchAll(use)])
    .some(([element]) => fetchesImages(site) || !/\swidth=/.test(element) || !/\sheight=/.test(element));
}

/** The front matter of the collection's Markdown files, as far as it can be read. */
function postsOf(files: SiteFiles, site: Site): Readonly<Record<string, unknown>>[] {
  const base = site.collection?.base ?? `${site.srcDir}/content/blog`;
  return below(files, base, 4)
    .filter((path) => path.endsWith('.md'))
    .slice(0, 200)
    .flatMap((path) => {
      try {
        return [splitFrontMatter(files.read(path) ?? '').data];
      } catch (error) {
        if (error instanceof PressmarkError) return []; // `doctor` names files that cannot be read
        throw error;
      }
    });
}

/** The files below a folder, at most so many folders deep. */
function below(files: SiteFiles, folder: string, depth: number): string[] {
  return files.list(folder).flatMap((name) => {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (!name.endsWith('/')) return [path];
    return depth === 0 || name === 'node_modules/' ? [] : below(files, path.slice(0, -1), depth - 1);
  });
}

// What `init` finds

function inspect(files: SiteFiles): SiteFacts {
  const site = readSite(files);
  const { collection } = site;
  const questions: Question[] = [];
  const warnings: Problem[] = [...configProblems(site)];
  const siteUrl = siteUrlOf(site);
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: 'What is the public address of the site, with its base path? astro.config does not say it as plain text',
    });

  const content = collection?.base ?? `${site.srcDir}/content/${collection?.name ?? 'blog'}`;
  if (collection?.base === undefined)
    questions.push({
      flag: 'content',
      text:
        collection === undefined
          ? `Which folder holds the articles? ${contentConfigs(site.srcDir)[3]} defines no collection that reads like one of articles`
          : `Which folder does the collection ${collection.name} read? ${collection.configFile} computes it`,
      fallback: content,
    });

  const route = routeOf(files, site);
  const permalink = permalinkOf(
    site,
    route ?? { path: '', folder: collection?.name ?? 'blog', isIndex: false },
  );
  if (route === undefined || collection?.hasOwnIds === true)
    questions.push({
      flag: 'permalink',
      text: `At which address is the page of ${content}/:slug.md? No page below ${site.srcDir}/pages makes it clear`,
      fallback: permalink,
    });

  const options = optionsOf(files, site);
  const needed = neededKeys(files, site, options);
  questions.push(...needed.questions);
  const strict = strictEdit(files, site);
  return {
    siteUrl,
    language: languageOf(files, site),
    theme: undefined,
    content,
    file: ':slug.md',
    permalink,
    output: folderOf(setting(site, 'outDir')) ?? 'dist',
    build: /"build"\s*:/.test(scriptsOf(files)) ? 'npm run build' : 'npx astro build',
    frontMatter: needed.constants,
    options,
    edits: strict === undefined ? [] : [strict],
    ignore: missingLines(files, [
      `${folderOf(setting(site, 'outDir')) ?? 'dist'}/`,
      '.astro/',
      'node_modules/',
    ]),
    questions,
    tags: tagsOf(files, site, options),
    sources: {
      ...(siteUrl === undefined ? {} : { siteUrl: 'site and base in astro.config' }),
      ...(collection === undefined
        ? {}
        : { content: `the collection ${collection.name} in ${collection.configFile}` }),
      ...(route === undefined ? {} : { permalink: route.path }),
    },
    warnings: [...warnings, ...needed.warnings],
  };
}

const scriptsOf = (files: SiteFiles): string =>
  /"scripts"\s*:\s*\{[^}]*\}/.exec(files.read('package.json') ?? '')?.[0] ?? '';

function missingLines(files: SiteFiles, lines: readonly string[]): string[] {
  const present = new Set(
    (files.read('.gitignore') ?? '').split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, '')),
  );
  return lines.filter((line) => !present.has(line.replace(/\/$/, '')));
}

function languageOf(files: SiteFiles, site: Site): string | undefined {
  const i18n = objectSource(resolved(site.config.get('i18n'), site.configText));
  const locale = stringOf(i18n.get('defaultLocale'));
  if (locale !== undefined) return locale;
  for (const path of below(files, site.srcDir, 4).filter((name) => name.endsWith('.astro'))) {
    const lang = /<html[^>]*\slang=(?:"([\w-]+)"|'([\w-]+)'|\{\s*["']([\w-]+)["']\s*\})/.exec(
      files.read(path) ?? '',
    );
    if (lang !== null) return lang[1] ?? lang[2] ?? lang[3];
  }
  return undefined;
}

interface Route {
  /** The page's file. */
  readonly path: string;
  /** Below `src/pages`. */
  readonly folder: string;
  /** Whether the file is an `index.astro` in the dynamic folder. */
  readonly isIndex: boolean;
}

/** The page that Astro makes for each file of the collection; undefined where none or several may be it. */
function routeOf(files: SiteFiles, site: Site): Route | undefined {
  const pages = `${site.srcDir}/pages`;
  const found = below(files, pages, 5).flatMap((path) => {
    const shape = /^(?:(.*)\/)?\[(?:\.\.\.)?(\w+)\](\/index)?\.astro$/.exec(path.slice(pages.length + 1));
    if (shape === null || shape[1]?.includes('[')) return [];
    const text = withoutComments(files.read(path) ?? '');
    const param = shape[2] ?? '';
    const isId =
      new RegExp(`params\\s*:\\s*\\{\\s*["']?${param}["']?\\s*:\\s*[\\w$]+\\.(?:id|slug)\\s*,?\\s*\\}`).test(
        text,
      ) ||
      (['id', 'slug'].includes(param) &&
        new RegExp(`params\\s*:\\s*\\{\\s*${param}\\s*,?\\s*\\}`).test(text) &&
        new RegExp(`\\{\\s*${param}\\b`).test(text));
    if (!isId) return [];
    const names = [...text.matchAll(/\bgetCollection\s*(?:<[^>]*>)?\(\s*["']([\w-]+)["']/g)].map(
      ([, name]) => name,
    );
    if (names.length > 0 && !names.includes(site.collection?.name)) return [];
    return [{ path, folder: shape[1] ?? '', isIndex: shape[3] !== undefined, isNamed: names.length > 0 }];
  });
  const named = found.filter(({ isNamed }) => isNamed);
  const candidates = named.length > 0 ? named : found;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/**
 * The address of a file's page on any static host. With `build.format: 'file'`, a page is `/blog/x.html`; its address
 * without the extension works on some hosts only.
 */
function permalinkOf(site: Site, { folder, isIndex }: Route): string {
  const format =
    stringOf(objectSource(resolved(site.config.get('build'), site.configText)).get('format')) ?? 'directory';
  const path = `/${folder === '' ? '' : `${folder}/`}:slug`;
  if (format === 'file' || (format === 'preserve' && !isIndex)) return `${path}.html`;
  return setting(site, 'trailingSlash') === 'never' ? path : `${path}/`;
}

interface NeededKeys {
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  readonly questions: readonly Question[];
  readonly warnings: readonly Problem[];
}

/** What the schema demands beside the fields of an article. */
function neededKeys(files: SiteFiles, site: Site, options: GeneratorOptions): NeededKeys {
  const schema = site.collection?.schema;
  const file = site.collection?.configFile ?? '';
  if (schema === undefined) return { constants: {}, questions: [], warnings: [] };
  const constants: Record<string, FrontMatterValue> = {};
  const questions: Question[] = [];
  const warnings: Problem[] = [];
  const posts = postsOf(files, site);
  const ours = new Set(Object.values({ ...DEFAULT_KEYS, ...options.keys }));
  for (const { name, kind, isRequired, values } of schema.keys) {
    if (!isRequired || (ours.has(name) && !isMaybeMissing(name, options))) continue;
    const usual = mostUsual(posts.map((data) => data[name]));
    const value =
      kind === 'enum'
        ? (usual ?? values[0])
        : kind === 'boolean'
          ? false
          : kind === 'string' || kind === 'other'
            ? usual
            : undefined;
    if (kind === 'list') constants[name] = [];
    else if (kind === 'enum' || kind === 'boolean') {
      if (value !== undefined) constants[name] = value;
    } else
      questions.push({
        flag: 'front-matter',
        text: `${file} demands the key ${name} (${kind}), which an article does not have. Which value do new articles get?`,
        key: name,
        ...(typeof value === 'string' ? { fallback: value } : {}),
      });
    if (kind === 'enum' && typeof value === 'string')
      warnings.push({
        level: 'warn',
        text: `${file} demands the key ${name}; new articles get ${JSON.stringify(value)}`,
        fix: `set articles.frontMatter.${name} in pressmark.config.mjs to another of ${values.join(', ')}`,
      });
  }
  return { constants, questions, warnings };
}

/** Fields that an article need not have: the schema must not demand them. */
const isMaybeMissing = (name: string, { keys }: GeneratorOptions): boolean =>
  name === keys?.updated || name === keys?.image;

const mostUsual = (values: readonly unknown[]): string | undefined => byFrequency(values)[0];

/** The texts of a list, each once, the most frequent first. */
function byFrequency(values: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text);
}

function tagsOf(files: SiteFiles, site: Site, { keys }: GeneratorOptions): string[] {
  const key = keys?.tags;
  return typeof key === 'string' ? byFrequency(postsOf(files, site).flatMap((data) => data[key])) : [];
}

/** The line that lets a strict schema accept Pressmark's key. */
function strictEdit(files: SiteFiles, site: Site): FileEdit | undefined {
  const { collection } = site;
  const text = collection === undefined ? undefined : files.read(collection.configFile);
  if (collection?.schema === undefined || text === undefined || !refusesOurKey(collection)) return undefined;
  const at = collection.schema.insertAt;
  const indent = /^[^\S\n]*\n([^\S\n]*)/.exec(text.slice(at))?.[1];
  const line = 'pressmark: z.unknown().optional(),';
  return {
    path: collection.configFile,
    text: `${text.slice(0, at)}${indent === undefined ? ` ${line}` : `\n${indent}${line}`}${text.slice(at)}`,
    reason: `the schema of ${collection.name} refuses keys that it does not name, and each article has a key pressmark`,
  };
}

const refusesOurKey = ({ schema }: Collection): boolean =>
  schema?.isStrict === true && !schema.keys.some(({ name }) => name === 'pressmark');

// What `doctor` finds

/** Without a site in the configuration, links still have its base. */
function otherBase(site: Site, siteUrl: string): Problem[] {
  if (siteUrl === '' || site.config.has('site')) return [];
  const base = setting(site, 'base');
  if (site.config.has('base') && base === undefined) return [];
  const path = new URL(siteUrl).pathname.replace(/^\/+|\/+$/g, '');
  if ((base ?? '').replace(/^\/+|\/+$/g, '') === path) return [];
  return [
    {
      level: 'fail',
      text: `base in astro.config is ${base === undefined ? 'not set' : quote(base)}, but siteUrl is ${siteUrl}: links lead to the wrong path`,
      fix: `set site: '${new URL(siteUrl).origin}'${path === '' ? ' and no base' : ` and base: '/${path}'`} in astro.config`,
    },
  ];
}

function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const site = readSite(files);
  const found = [...configProblems(site)];
  const siteUrl = siteUrlOf(site);
  if (siteUrl !== undefined && siteUrl !== settings.siteUrl)
    found.push({
      level: 'fail',
      text: `the site is built for ${siteUrl}, but siteUrl is ${settings.siteUrl}`,
      fix: 'make siteUrl in pressmark.config.mjs the same as site and base in astro.config',
    });
  found.push(...otherBase(site, settings.siteUrl));
  const publicDir = folderOf(setting(site, 'publicDir')) ?? 'public';
  if (folderOf(settings.output) === publicDir)
    found.push({
      level: 'fail',
      text: `output is ${settings.output}, which Astro copies into the site: it holds files of yours`,
      fix: `set output to '${folderOf(setting(site, 'outDir')) ?? 'dist'}'`,
    });
  const { collection } = site;
  const content = folderOf(settings.content);
  if (
    collection?.base !== undefined &&
    content !== undefined &&
    !`${content}/`.startsWith(`${collection.base}/`)
  )
    found.push({
      level: 'fail',
      text: `articles are stored in ${settings.content}, but the collection ${collection.name} reads ${collection.base}`,
      fix: `set content to '${collection.base}' in pressmark.config.mjs`,
    });
  if (collection !== undefined && refusesOurKey(collection))
    found.push({
      level: 'fail',
      text: `the schema of ${collection.name} refuses keys that it does not name, and each article has a key pressmark`,
      fix: `add the line  pressmark: z.unknown().optional(),  to the schema in ${collection.configFile}`,
    });
  if (collection !== undefined && routeOf(files, site) === undefined)
    found.push({
      level: 'warn',
      text: `no page below ${site.srcDir}/pages shows at which address the files of ${collection.name} are`,
      fix: 'check articles.permalink with a build: pressmark build names each article that is not at its address',
    });
  return found;
}

/** What in the site's configuration can make an article break the build, or show it otherwise than it was sent. */
function configProblems(site: Site): Problem[] {
  const found: Problem[] = [];
  const { collection } = site;
  if (collection !== undefined && collection.patterns.length > 0 && !collection.patterns.some(readsMarkdown))
    found.push({
      level: 'fail',
      text: `the loader of ${collection.name} reads ${collection.patterns.join(', ')}, but no .md files below its base`,
      fix: `add '**/*.md' to its pattern in ${collection.configFile}`,
    });
  for (const { name, kind, limit } of collection?.schema?.keys ?? []) {
    const isOurs = (Object.keys(NAMES) as (keyof KeyNames)[]).some((field) => NAMES[field].includes(name));
    if (isOurs && limit !== undefined && kind !== 'number')
      found.push({
        level: 'warn',
        text: `${collection?.configFile} accepts ${name} only with ${limit}; an article that does not comply breaks the build of the whole site`,
        fix: `remove ${limit}, as the service does not know this rule`,
      });
    if (NAMES.tags.includes(name) && kind !== 'list')
      found.push({
        level: 'warn',
        text: `${collection?.configFile} does not accept any text as one of ${name}; articles are stored without them`,
        fix: `make it ${name}: z.array(z.string())`,
      });
    if (NAMES.date.includes(name) && kind === 'day')
      found.push({
        level: 'fail',
        text: `${name} is a day as a text, a form in which no article can be written`,
        fix: `make it ${name}: z.coerce.date()`,
      });
  }
  const reading = READING_PLUGINS.exec(site.configText)?.[0];
  if (reading !== undefined)
    found.push({
      level: 'fail',
      text: `${reading} puts files into a page that its Markdown names; an article could publish .env`,
      fix: `remove ${reading}, or set articles.body to 'html', which Markdown plugins do not see`,
    });
  else if (
    /\b(?:remarkPlugins|rehypePlugins|mdastPlugins|hastPlugins)\s*:\s*\[\s*[^\]\s]/.test(site.configText)
  )
    found.push({
      level: 'warn',
      text: "the site's Markdown plugins see the text of articles too, and may change it",
      fix: "set articles.body to 'html' in pressmark.config.mjs, unless the plugins are harmless with any text",
    });
  if (/^\s*["']server["']/.test(site.config.get('output') ?? ''))
    found.push({
      level: 'warn',
      text: "output is 'server': pages that are made on request are not files, and Pressmark cannot check them",
      fix: 'put  export const prerender = true;  into the page of the articles',
    });
  return found;
}

/** Whether a pattern of glob() reads an `.md` file in the base folder itself. */
function readsMarkdown(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const folder = pattern.slice(0, pattern.length - name.length);
  return (
    !pattern.startsWith('!') &&
    (folder === '' || folder === '**/' || folder === './') &&
    /(?:^|[.{,(|])md(?:$|[},)|])|\.\*$|^\*$/.test(name)
  );
}

// The article files

function astroMapping(options: MappingOptions): ArticleMapping {
  const keys: KeyNames = { ...DEFAULT_KEYS, ...options.keys };
  const isHtmlFile = (path: string) => path.endsWith('.html');
  return {
    keys,
    constants: options.constants,
    reserved: ['slug', 'id', 'layout'],
    isArticlePath: (path) => /\.mdx?$/.test(path) || (options.htmlFiles === true && isHtmlFile(path)),
    slug: (file) => entryId(file).split('/').at(-1) ?? '',
    date: (iso) => dateValue(iso, options),
    writtenText,
    sentText: (written) => (isMarked(written) ? written.replace('\u2060', '') : written),
    // A schema with url() or image() refuses every other address, and the build fails.
    image: (url) => (/^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined),
    imageOf: (value) => (typeof value === 'string' && value !== '' ? value : null),
    tagKey,
    extension: (body) =>
      options.htmlFiles === true && (body.kind === 'html' || options.body === 'html') ? '.html' : '.md',
    body: (incoming, path) => {
      if (isHtmlFile(path)) return { text: incoming.html, frontMatter: {} };
      const isMarkdown =
        incoming.kind === 'markdown' &&
        options.body === 'markdown' &&
        isSafeMarkdown(incoming.markdown, options.fetchesImages ?? false);
      return {
        text: isMarkdown ? markdownBody(incoming.markdown) : htmlBlock(incoming.html),
        frontMatter: {},
      };
    },
    pin: () => ({}),
    isPinned: (file, address) => {
      if (hasSlug(file)) return false;
      const date = file.data[keys.date];
      return sameAddress(options.address(entryId(file), date === undefined ? '' : String(date)), address);
    },
    hidden: (file) => (file.data.draft === true ? 'draft' : undefined),
  };
}

/** Astro imports the file that a text with its marker names, at whatever key; a word joiner before it makes it a text. */
const writtenText = (sent: string): string => (isMarked(sent) ? `\u2060${sent}` : sent);

const isMarked = (text: string): boolean => text.replace(/^\u2060*/, '').startsWith(IMAGE_MARKER);

const sameAddress = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

/** Astro takes the key `slug` for the id, unless it is empty. */
const hasSlug = ({ data }: FileFacts): boolean => Object.hasOwn(data, 'slug') && Boolean(data.slug);

/** The id that Astro's glob() gives to a file: its path as slugs, without extension and `/index`. */
export function entryId(file: FileFacts): string {
  if (hasSlug(file)) return String(file.data.slug);
  return file.path
    .replace(/\.[^./]*$/, '')
    .split('/')
    .map(githubSlug)
    .join('/')
    .replace(/\/index$/, '');
}

/** As github-slugger does: lower case, spaces to hyphens, only letters, marks, digits, `-` and `_`. */
function githubSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** A moment as YAML readers know it for a timestamp: with seconds and an offset. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function dateValue(iso: string, { dates, timeZone }: MappingOptions): FrontMatterValue {
  if (dates === 'day') return { kind: 'timestamp', text: dayIn(iso, timeZone ?? 'UTC') };
  const moment = new Date(iso);
  const value = TIMESTAMP.test(iso) || Number.isNaN(moment.getTime()) ? iso : moment.toISOString();
  return dates === 'string' ? value : { kind: 'timestamp', text: value };
}

function dayIn(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(new Date(iso));
}

/**
 * Sites make a page of each tag, at an address with the tag or its slug. A slash, a dot segment, a control character, a
 * text without a letter or a digit, or a name too long for a file breaks the build or replaces another page.
 */
function tagKey(tag: string): string {
  const name = tag.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  const isPage =
    /[\p{L}\p{N}]/u.test(name) && !/[/\\\p{Cc}]|%[0-9a-f]{2}/iu.test(tag) && Buffer.byteLength(name) <= 200;
  return isPage ? name.replaceAll(' ', '-') : '';
}
