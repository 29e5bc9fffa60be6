import { posix } from 'node:path';
import type { GeneratorOptions, SiteFiles } from '../generator.js';
import { knownTimeZone } from '../time-zone.js';
import type { ValueMap } from '../value.js';
import { mapOf, textsOf } from '../value.js';

/** What Eleventy has said of its configuration. */
export interface EleventyConfig {
  readonly input: string;
  readonly includes: string;
  readonly layouts: string;
  readonly output: string;
  readonly pathPrefix: string;
  readonly formats: readonly string[];
  /** Extensions that the configuration has given to engines of its own. */
  readonly extensions: readonly string[];
  /** The key that turns templates off in one file. */
  readonly engineOverride: string;
  readonly rawHtml: boolean;
  readonly excerptSeparator: string | undefined;
  /** The selectors of elements that plugins take out of pages. */
  readonly bundled: readonly string[];
  /** The options of plugins by their names. */
  readonly plugins: ValueMap;
  readonly collections: readonly string[];
  /** The site's data, such as `metadata`. */
  readonly data: ValueMap;
}

/** JavaScript that makes the answer; see `nodeCommand`. */
export const CONFIG_ANSWER = `(() => {
  const config = eleventy.eleventyConfig.getConfig();
  const md = config.libraryOverrides?.md;
  const excerpt = config.frontMatterParsingOptions ?? {};
  const plain = (value, depth = 0) =>
    typeof value !== 'object' || value === null
      ? typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
      : depth > 2 ? undefined : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, depth + 1)]));
  const { metadata, site, meta, config: settings } = items[0]?.data ?? {};
  return {
    pages,
    ...config.dir,
    pathPrefix: config.pathPrefix,
    formats: config.templateFormats,
    extensions: [...(config.extensionMap ?? [])].map(({ extension }) => extension),
    engineOverride: config.keys?.engineOverride,
    rawHtml: md === undefined || md.render('<b>x</b>').includes('<b>'),
    excerptSeparator: excerpt.excerpt ? (excerpt.excerpt_separator ?? '---') : undefined,
    bundled: Object.values(user.getBundleManagers?.() ?? {}).map(({ pluckedSelector }) => pluckedSelector),
    plugins: Object.fromEntries(
      (user.plugins ?? []).map(({ plugin, options }) => [plugin?.name || plugin?.eleventyPackage || '', plain(options)]),
    ),
    collections: Object.keys(config.collections ?? user.collections ?? {}),
    data: plain({ metadata, site, meta, settings }),
  };
})()`;

/** Reads the answer; what is missing is as Eleventy has it without a configuration. */
export function configIn(answer: ValueMap): EleventyConfig {
  const text = (key: string, usual: string) => {
    const value = answer[key];
    return typeof value === 'string' ? value : usual;
  };
  const input = joined('', text('input', '.'));
  const includes = joined(input, text('includes', '_includes'));
  const separator = answer.excerptSeparator;
  return {
    input,
    includes,
    layouts: answer.layouts === undefined ? includes : joined(input, text('layouts', '')),
    output: joined('', text('output', '_site')),
    pathPrefix: text('pathPrefix', '/'),
    formats: textsOf(answer.formats ?? ['md', 'html']),
    extensions: textsOf(answer.extensions),
    engineOverride: text('engineOverride', 'templateEngineOverride'),
    rawHtml: answer.rawHtml !== false,
    excerptSeparator: typeof separator === 'string' ? separator : undefined,
    bundled: textsOf(answer.bundled),
    plugins: mapOf(answer.plugins),
    collections: textsOf(answer.collections),
    data: mapOf(answer.data),
  };
}

/** What decides how bodies are written and which tags stay. */
export function optionsOf(files: SiteFiles, config: EleventyConfig): GeneratorOptions {
  const { formats, extensions, engineOverride, rawHtml, excerptSeparator, plugins } = config;
  const hasSwitch =
    engineOverride === 'templateEngineOverride' && !extensions.some((one) => one === 'md' || one === 'html');
  const images = plugins.eleventyImageTransformPlugin;
  const stopsAtImages = images !== undefined && mapOf(images).failOnError !== false;
  const elements = [
    ...config.bundled.flatMap((selector) => selector.match(/[a-z]+/gi) ?? []),
    ...(stopsAtImages ? ['img'] : []),
  ];
  const ids = plugins.IdAttributePlugin;
  const keptTags = collectionTags(files, config);
  const timeZone = knownTimeZone(siteData(config, ['timezone', 'timeZone', 'time_zone']));
  return {
    ...(!formats.includes('html') && { htmlFiles: false }),
    ...(!hasSwitch && { templateSwitch: false }),
    ...(!rawHtml && { rawHtml: false }),
    ...(excerptSeparator !== undefined && { excerptSeparator }),
    ...(elements.length > 0 && { markedElements: [...new Set(elements)] }),
    ...(ids !== undefined &&
      mapOf(ids).checkDuplicates !== false && { usedIds: idsOfLayouts(files, config) }),
    ...(keptTags.length > 0 && { keptTags }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** A text of the site's data, such as `url` of `metadata`; an outer key before one of a nested object. */
export function siteData({ data }: EleventyConfig, keys: readonly string[]): string | undefined {
  for (const name of ['metadata', 'site', 'meta', 'settings']) {
    const outer = mapOf(data[name]);
    // An author has a site of their own.
    const nested = Object.entries(outer).flatMap(([key, value]) => (key === 'author' ? [] : [mapOf(value)]));
    for (const values of [outer, ...nested])
      for (const key of keys) {
        const value = values[key];
        if (typeof value === 'string' && value !== '') return value;
      }
  }
  return undefined;
}

function templatesOf(files: SiteFiles, { includes, layouts, input, output }: EleventyConfig): string[] {
  const paths = [includes, layouts, input].flatMap((folder) => filesBelow(files, folder));
  return [...new Set(paths)]
    .filter((path) => /\.(?:njk|liquid|html|md|webc|11ty\.[cm]?[jt]s)$/.test(path))
    .filter((path) => !path.startsWith(`${output}/`))
    .slice(0, 500);
}

/** The ids in layouts, where the IdAttributePlugin stops at a page that has one twice. */
function idsOfLayouts(files: SiteFiles, { includes, layouts }: EleventyConfig): string[] {
  const paths = new Set([...filesBelow(files, includes), ...filesBelow(files, layouts)]);
  const ids = [...paths].flatMap((path) =>
    [...(files.read(path) ?? '').matchAll(/\sid\s*=\s*["']?([^\s"'>{}]+)["'\s>]/g)].map(([, id = '']) => id),
  );
  return [...new Set(ids)];
}

/** The tags by which templates select posts: the collections that they name and that the configuration does not make. */
function collectionTags(files: SiteFiles, config: EleventyConfig): string[] {
  const named = templatesOf(files, config).flatMap((path) =>
    [
      ...(files.read(path) ?? '').matchAll(
        /\bcollections(?:\.([A-Za-z_$][\w$]*)|\[\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\])/g,
      ),
    ].map(([, name, double, single]) => name ?? double ?? single ?? ''),
  );
  const made = new Set(config.collections);
  return [...new Set(named)].filter((name) => name !== '' && name !== 'all' && !made.has(name));
}

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
export function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = joined(folder, name);
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path);
  });
}

/** A path below a folder: `content` and `../_includes` give `_includes`; the site's folder is ''. */
export function joined(folder: string, path: string): string {
  return posix.join(folder, path).replace(/^(?:\.\.?\/)+|^\.$|\/$/g, '');
}
