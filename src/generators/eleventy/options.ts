import { posix } from 'node:path';
import { defined, mapOf, type ValueMap } from '../../article/plain-data.js';
import type { GeneratorOptions, SiteFiles } from '../generator.js';
import { filesBelow, namesIn } from '../inspect/site-files.js';
import { knownTimeZone } from '../mapping/dates.js';

/** Eleventy's answer about its configuration. */
export interface EleventyConfig {
  /** Folders, relative to the site's folder, which is ''. */
  readonly input: string;
  readonly includes: string;
  readonly layouts: string;
  readonly output: string;
  readonly pathPrefix: string;
  readonly formats: readonly string[];
  /** The extensions that the configuration assigns to its own engines. */
  readonly extensions: readonly string[];
  /** The key that turns templates off in one file. */
  readonly engineOverride: string;
  readonly rawHtml: boolean;
  /** Whether the Markdown renderer leaves pictures of the web unchanged. */
  readonly keepsPictures: boolean;
  readonly excerptSeparator?: string;
  /** The selectors of elements that plugins move out of pages. */
  readonly bundled: readonly string[];
  /** The options of plugins by their names. */
  readonly plugins: ValueMap;
  readonly collections: readonly string[];
  /** The tags by which the configuration selects posts. */
  readonly selecting: readonly string[];
  /** The file patterns by which the configuration selects posts. */
  readonly globs: readonly string[];
  /** The authors in the site's data. */
  readonly authors?: unknown;
  /** The site's data, such as `metadata`. */
  readonly data: ValueMap;
}

/** The answer of a site without a configuration. */
const USUAL = {
  input: '.',
  includes: '_includes',
  output: '_site',
  pathPrefix: '/',
  formats: ['md', 'html'],
  extensions: [],
  engineOverride: 'templateEngineOverride',
  rawHtml: true,
  keepsPictures: true,
  bundled: [],
  plugins: {},
  collections: [],
  selecting: [],
  globs: [],
  data: {},
};

/**
 * JavaScript that makes the answer from `pages`, `eleventy`, `user` (the object that the configuration receives), `items` (all
 * pages), and `selecting` and `globs` (the tags and the file patterns by which the configuration selects posts).
 */
export const CONFIG_ANSWER = `await (async () => {
  const config = eleventy.eleventyConfig.getConfig();
  let md = config.libraryOverrides?.md;
  const amendments = config.libraryAmendments?.md ?? [];
  if (md === undefined && amendments.length > 0) {
    const { default: markdownIt } = await import('markdown-it').catch(() => ({}));
    md = markdownIt?.({ html: true });
    if (md !== undefined) for (const amend of amendments) await amend(md);
  }
  // A custom renderer may process pictures, and look for each on the disk.
  const keepsPictures = () => {
    try {
      return md.render('![x](https://pictures.invalid/x.jpg)').includes('src="https://pictures.invalid/x.jpg"');
    } catch {
      return false;
    }
  };
  const excerpt = config.frontMatterParsingOptions ?? {};
  const plain = (value, depth = 0) =>
    typeof value !== 'object' || value === null
      ? typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
      : depth > 2 ? undefined : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, depth + 1)]));
  const { metadata, site, meta, config: settings, authors } = items[0]?.data ?? {};
  const texts = (values) => Array.from(values ?? []).filter((value) => typeof value === 'string');
  return {
    pages,
    ...config.dir,
    pathPrefix: config.pathPrefix,
    formats: texts(config.templateFormats),
    extensions: texts(Array.from(config.extensionMap ?? [], ({ extension }) => extension)),
    engineOverride: config.keys?.engineOverride,
    keepsPictures: md === undefined || keepsPictures(),
    rawHtml: md === undefined || md.render('<b>x</b>').includes('<b>'),
    excerptSeparator: excerpt.excerpt ? (excerpt.excerpt_separator ?? '---') : undefined,
    bundled: texts(Object.values(user.getBundleManagers?.() ?? {}).map(({ pluckedSelector }) => pluckedSelector)),
    plugins: Object.fromEntries(
      (user.plugins ?? []).map(({ plugin, options }) => [plugin?.name || plugin?.eleventyPackage || '', plain(options)]),
    ),
    collections: Object.keys(config.collections ?? user.collections ?? {}),
    selecting: texts(selecting),
    globs: texts(globs),
    authors: Array.isArray(authors) ? authors.map((one) => plain(one, 1)) : plain(authors),
    data: plain({ metadata, site, meta, settings }),
  };
})()`;

/** Reads the answer, with Eleventy's defaults for what is missing. */
export function configIn(answer: Partial<EleventyConfig>): EleventyConfig {
  const config = { ...USUAL, ...answer };
  const input = joined('', config.input);
  const includes = joined(input, config.includes);
  const layouts = answer.layouts === undefined ? includes : joined(input, answer.layouts);
  return { ...config, input, includes, layouts, output: joined('', config.output) };
}

/** Whether the key that turns templates off in one file works in Markdown and HTML. */
export function hasSwitch({ engineOverride, extensions }: EleventyConfig): boolean {
  return engineOverride === USUAL.engineOverride && !extensions.some((one) => one === 'md' || one === 'html');
}

/** The options that decide how bodies are written and which tags stay. */
export function optionsOf(files: SiteFiles, config: EleventyConfig): GeneratorOptions {
  const { formats, rawHtml, excerptSeparator, bundled, globs } = config;
  const { eleventyImageTransformPlugin: images, IdAttributePlugin: ids } = config.plugins;
  const elements = bundled.flatMap((selector) => selector.match(/[a-z]+/gi) ?? []);
  if ((images !== undefined && mapOf(images).failOnError !== false) || !config.keepsPictures)
    elements.push('img');
  const checksIds = ids !== undefined && mapOf(ids).checkDuplicates !== false;
  return defined({
    // An article in an .html file would be missing in lists that are made of .md files.
    htmlFiles: formats.includes('html') && !globs.some((one) => one.endsWith('.md')) ? undefined : false,
    templateSwitch: hasSwitch(config) ? undefined : false,
    rawHtml: rawHtml ? undefined : false,
    excerptSeparator,
    markedElements: [...new Set<string>(elements)],
    usedIds: checksIds ? idsOfLayouts(files, config) : undefined,
    keptTags: collectionTags(files, config),
    timeZone: knownTimeZone(siteData(config, ['timezone', 'timeZone', 'time_zone'])),
  });
}

/** A text in the site's data, such as `url` of `metadata`; outer keys come before those of nested objects. */
export function siteData({ data }: EleventyConfig, keys: readonly string[]): string | undefined {
  const maps = ['metadata', 'site', 'meta', 'settings'].flatMap((name) => {
    // An author may have their own site.
    const { author, ...outer } = mapOf(data[name]);
    return [{ ...outer, author }, ...Object.values(outer).map(mapOf)];
  });
  return maps
    .flatMap((values) => keys.map((key) => values[key]))
    .find((value) => typeof value === 'string' && value !== '') as string | undefined;
}

/** The ids in layouts, if the IdAttributePlugin stops at a page with duplicate ids. */
function idsOfLayouts(files: SiteFiles, { includes, layouts }: EleventyConfig): string[] {
  const paths = [includes, layouts].flatMap((folder) => filesBelow(files, folder));
  return namesIn(files, paths, /\sid\s*=\s*["']?([^\s"'>{}]+)["'\s>]/g);
}

const COLLECTION = /\bcollections(?:\.([A-Za-z_$][\w$]*)|\[\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\])/g;

/**
 * The tags by which a site selects posts: those in its configuration, and the collections that templates name without being
 * defined. Eleventy does not know which collections a template names.
 */
function collectionTags(files: SiteFiles, config: EleventyConfig): string[] {
  const { includes, layouts, input, output } = config;
  const templates = [includes, layouts, input]
    .flatMap((folder) => filesBelow(files, folder))
    .filter((path) => /\.(?:njk|liquid|html|md|webc|11ty\.[cm]?[jt]s)$/.test(path))
    .filter((path) => !path.startsWith(`${output}/`));
  const named = namesIn(files, templates, COLLECTION).filter((name) => !config.collections.includes(name));
  return [...new Set([...config.selecting, ...named])].filter((name) => name !== 'all');
}

/** A path below a folder: `content` and `../_includes` give `_includes`; the site's folder is ''. */
export function joined(folder: string, path: string): string {
  return posix.join(folder, path).replace(/^(?:\.\.?\/)+|^\.$|\/$/g, '');
}
