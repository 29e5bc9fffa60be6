import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/mapping.js';
import type { AskedSite, GeneratorOptions, Question, SiteFacts, SiteFiles } from '../generator.js';
import { npmScripts } from '../package-json.js';
import { FIELD_NAMES, keysOfPosts, readPosts, type SitePost, tagsOfPosts } from '../site-posts.js';
import { byFrequency } from '../value.js';
import { ASK, type AstroAnswer, answerIn, type Entry, type Route } from './ask.js';
import { keysIn, type SchemaKey } from './fields.js';
import { entryId, KEYS } from './mapping.js';

/** Where Astro looks for the content configuration, in this order. */
export const CONTENT_CONFIGS = ['src/content.config', 'src/content/config'].flatMap((name) =>
  ['mjs', 'js', 'mts', 'ts'].map((extension) => `${name}.${extension}`),
);

/** Collections whose name says that they hold articles. */
const BLOG_NAMES = ['blog', 'posts', 'post', 'articles', 'article', 'news', 'writing', 'journal', 'notes'];

const usual = new Map<string, string | null | undefined>(Object.entries(KEYS));

/** What `init` finds out about an Astro site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const answer = answerIn(await ask(ASK, 'node -e "sync()" (astro sync)'));
  const { config } = answer;
  const collection = collectionOf(answer);
  const entries = collection === undefined ? [] : (answer.entries[collection] ?? []);
  const content = contentOf(entries) ?? `${config.srcDir}/content/${collection ?? 'blog'}`;
  const schema = collection === undefined ? undefined : keysIn(answer.schemas[collection], collection);
  const posts = readPosts(
    files,
    content,
    entries.map(({ path }) => ({ path, address: '' })),
    { isArticlePath: (path) => /\.(?:mdx?|html)$/.test(path), slug: (file) => entryId(file) },
  );
  const { keys, dates } = fieldsOf(files, config.srcDir, schema, posts);
  const own = Object.fromEntries(Object.entries(keys).filter(([field, key]) => usual.get(field) !== key));
  const needed = neededKeys(schema, posts, keys);
  const route = routeOf(answer.routes, collection ?? 'blog');
  const isHtml = CONTENT_CONFIGS.some((name) => /pressmark\/astro/.test(files.read(name) ?? ''));
  return {
    siteUrl: siteUrlOf(config),
    language: undefined,
    theme: undefined,
    content,
    file: isFolders(entries) ? ':slug/index.md' : ':slug.md',
    permalink: permalinkOf(config, route?.pattern ?? `/${collection ?? 'blog'}/[slug]`),
    output: config.outDir,
    build: /\bastro\s+build\b/.test(npmScripts(files).build ?? '') ? 'npm run build' : 'npx astro build',
    frontMatter: needed.constants,
    options: {
      ...(Object.keys(own).length > 0 && { keys: own }),
      ...(dates !== undefined && { dates }),
      ...(isHtml && { htmlFiles: true }),
      ...(config.fetchesImages && { fetchesImages: true }),
    },
    edits: [],
    ignore: [`${config.outDir}/`, '.astro/', 'node_modules/'],
    questions: [
      ...(collection === undefined ? [contentQuestion(content)] : []),
      ...(route?.isOnly === true ? [] : [permalinkQuestion(config, route, collection ?? 'blog')]),
      ...needed.questions,
    ],
    tags: tagsOfPosts(posts, keys.tags),
    warnings: [],
  };
}

function siteUrlOf({ site, base }: AstroAnswer['config']): string | undefined {
  if (site === undefined || !URL.canParse(site)) return undefined;
  const path = base.replace(/^\/+|\/+$/g, '');
  return `${new URL(site).origin}${path === '' ? '' : `/${path}`}`;
}

/** The collection that articles go to: one with a usual name, else the only one, or the only one with a date. */
function collectionOf({ schemas, entries }: AstroAnswer): string | undefined {
  const names = [...new Set([...Object.keys(schemas), ...Object.keys(entries)])].filter(
    (name) => !name.startsWith('meta::'),
  );
  const dated = names.filter((name) => keysIn(schemas[name], name)?.some(({ kind }) => kind === 'date'));
  const usual = BLOG_NAMES.find((name) => names.includes(name));
  return usual ?? (names.length === 1 ? names[0] : dated.length === 1 ? dated[0] : undefined);
}

/** The folder of a collection: what most of its files have before their ids. */
function contentOf(entries: readonly Entry[]): string | undefined {
  return byFrequency(
    entries.map(({ id, path }) => {
      const stem = path.replace(/\.[^./]*$/, '').replace(/\/index$/, '');
      return stem.split('/').slice(0, -id.split('/').length).join('/');
    }),
  )[0];
}

/** Whether each post has a folder. */
function isFolders(entries: readonly Entry[]): boolean {
  return entries.length > 0 && entries.every(({ path }) => /\/index\.[^/]*$/.test(path));
}

/** The page of an entry: a route with one parameter, whose last part it is. */
function routeOf(
  routes: readonly Route[],
  collection: string,
): { readonly pattern: string; readonly isOnly: boolean } | undefined {
  const dynamic = routes.filter(
    ({ pattern, params }) =>
      params.length === 1 &&
      /\/\[[^/]*\]$/.test(pattern) &&
      !/^(?:\.\.\.)?(?:tags?|page|category|author)$/.test(params[0] ?? ''),
  );
  const named = dynamic.filter(({ pattern }) => pattern.split('/').includes(collection));
  const best = named.length > 0 ? named : dynamic;
  const [first] = best;
  return first && { pattern: first.pattern, isOnly: best.length === 1 };
}

function permalinkOf({ format, trailingSlash }: AstroAnswer['config'], pattern: string): string {
  const path = pattern.replace(/\[[^/]*\]$/, ':slug');
  if (format === 'file' || format === 'preserve') return `${path}.html`;
  return trailingSlash === 'never' ? path : `${path}/`;
}

function contentQuestion(fallback: string): Question {
  return {
    flag: 'content',
    text: 'Which folder holds the articles? Astro has no collection that reads like one of articles',
    fallback,
  };
}

function permalinkQuestion(
  config: AstroAnswer['config'],
  route: { readonly pattern: string } | undefined,
  collection: string,
): Question {
  return {
    flag: 'permalink',
    text: `Which address does a post get? ${route === undefined ? 'No page' : 'More than one page'} of the site may show an entry of ${collection}`,
    fallback: permalinkOf(config, route?.pattern ?? `/${collection}/[slug]`),
  };
}

/** The names and types that the posts and the schema give to the fields. */
function fieldsOf(
  files: SiteFiles,
  srcDir: string,
  schema: readonly SchemaKey[] | undefined,
  posts: readonly SitePost[],
): { readonly keys: KeyNames; readonly dates: GeneratorOptions['dates'] } {
  const none: KeyNames = { title: '', description: null, date: '', updated: null, tags: null, image: null };
  const used: Readonly<Record<string, string | null | undefined>> = keysOfPosts(posts, none);
  const kinds = new Map(schema?.map(({ name, kind }) => [name, kind]));
  const find = (field: keyof KeyNames, allowed: readonly SchemaKey['kind'][]): string | undefined => {
    const own = used[field] ?? undefined;
    if (schema === undefined) return own;
    if (own !== undefined && kinds.has(keyPath(own).key)) return own;
    return FIELD_NAMES[field].find((name) => allowed.includes(kinds.get(name) ?? 'other'));
  };
  const dateKinds = ['date', 'day', 'string'] as const;
  // A schema that demands one date under a name of its own demands the publication's.
  const demanded = schema?.filter(({ kind, isRequired }) => isRequired && kind === 'date') ?? [];
  const date = find('date', dateKinds) ?? (demanded.length === 1 ? demanded[0]?.name : undefined);
  const kind = kinds.get(date ?? '');
  const image = find('image', ['string']);
  const author = find('author', ['string']);
  return {
    keys: {
      title: find('title', ['string']) ?? 'title',
      description: find('description', ['string']) ?? (schema === undefined ? 'description' : null),
      date: date ?? KEYS.date,
      updated: find('updated', dateKinds) ?? null,
      tags: find('tags', ['list']) ?? null,
      image: image === undefined || makesPictures(files, srcDir, keyPath(image).key) ? null : image,
      ...(author !== undefined && kinds.get(keyPath(author).key) === 'string' && { author }),
    },
    dates: kind === 'string' ? 'string' : kind === 'day' ? 'day' : undefined,
  };
}

/** Whether a component makes pictures of a key's value: Astro measures them, and a remote one may stop the build. */
function makesPictures(files: SiteFiles, folder: string, key: string, depth = 5): boolean {
  const use = new RegExp(
    `<(?:Image|Picture)\\b(?:(?!/>)[\\s\\S])*\\b${key}\\b[\\s\\S]*?/>|\\bgetImage\\s*\\([^)]*\\b${key}\\b`,
  );
  return files.list(folder).some((name) => {
    const path = `${folder}/${name}`;
    if (name.endsWith('/')) return depth > 0 && makesPictures(files, path.slice(0, -1), key, depth - 1);
    return name.endsWith('.astro') && use.test(files.read(path) ?? '');
  });
}

/** What the schema demands besides the fields of an article. A key that some posts lack is not demanded. */
function neededKeys(
  schema: readonly SchemaKey[] | undefined,
  posts: readonly SitePost[],
  keys: KeyNames,
): { readonly constants: Record<string, FrontMatterValue>; readonly questions: readonly Question[] } {
  const constants: Record<string, FrontMatterValue> = {};
  const questions: Question[] = [];
  const ours = new Set([keys.title, keys.description, keys.date, keys.tags].filter((key) => key !== null));
  for (const { name, kind, isRequired, values } of schema ?? []) {
    if (!isRequired || ours.has(name) || posts.some(({ data }) => !Object.hasOwn(data, name))) continue;
    const given = posts.map(({ data }) => JSON.stringify(data[name]));
    const [first] = given;
    const shared = first !== undefined && given.every((one) => one === first) ? first : undefined;
    const usual = byFrequency(posts.map(({ data }) => data[name]))[0];
    if (kind === 'enum' && (usual ?? values[0]) !== undefined) constants[name] = usual ?? values[0] ?? '';
    else if (kind === 'boolean') constants[name] = false;
    else if (kind === 'list') constants[name] = [];
    else {
      const fallback = usual ?? shared;
      questions.push({
        flag: 'front-matter',
        text: `The schema demands the key ${name}, which an article does not have. Which value do new articles get?`,
        key: name,
        ...(fallback !== undefined && { fallback }),
      });
    }
  }
  return { constants, questions };
}
