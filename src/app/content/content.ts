import fs from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { articleFormat } from '../../article/format/format.js';
import type { ArticleMapping } from '../../article/format/mapping.js';
import { NO_ARTICLES, plainFormat } from '../../article/format/plain.js';
import { defined } from '../../article/plain-data.js';
import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Generator, GeneratorOptions, SiteFiles } from '../../generators/generator.js';
import { type Layout, patternLayout } from '../../generators/layout.js';
import { momentOf } from '../../generators/mapping/dates.js';
import { generatorNamed } from '../../generators/registry.js';
import { ADDRESSES, readAddresses } from '../../store/catalog/addresses.js';
import { type ContentFolder, contentFolder } from '../../store/catalog/content-folder.js';
import { foldersOf, STATIC } from './folders.js';
import { siteFiles } from './site-files.js';

/** The settings that article files depend on. A worker thread gets only these. */
export type ContentSettings = Pick<
  Settings,
  | 'dir'
  | 'siteUrl'
  | 'endpoint'
  | 'content'
  | 'output'
  | 'templates'
  | 'articles'
  | 'generator'
  | 'build'
  | 'site'
>;

/** The generator of a site that Pressmark does not build itself. */
export interface SiteGenerator {
  readonly generator: Generator;
  readonly options: GeneratorOptions;
  readonly mapping: ArticleMapping;
  readonly files: SiteFiles;
}

/** The content folder of a site. */
export function contentOf(settings: ContentSettings): ContentFolder {
  const { contentDir, stateDir } = foldersOf(settings);
  const site = generatorOf(settings);
  if (site !== undefined || settings.site !== false)
    refuseSourcesAsOutput(settings, site?.generator.configFiles ?? [STATIC, settings.templates]);
  if (site === undefined && NO_ARTICLES.test(settings.articles.file))
    throw new PressmarkError(
      'CONFIG_INVALID',
      `articles.file ${quote(settings.articles.file)} is in pages/, tags/ or authors/, whose files are not articles; choose another folder`,
    );
  const layout = layoutOf(settings, site?.options.timeZone);
  if (site === undefined) {
    const zone = settings.site === false ? 'UTC' : settings.site.timeZone;
    const format = plainFormat(layout.url, zone, momentOf);
    return withReservedPaths(contentFolder(contentDir, layout, format), settings);
  }
  const { siteUrl } = settings;
  const listed = readAddresses(join(stateDir, ADDRESSES));
  const settingsKey = JSON.stringify([site.generator.name, site.options]);
  const format = articleFormat({ mapping: site.mapping, siteUrl, url: layout.url, listed, settingsKey });
  const content = contentFolder(contentDir, layout, format, () => listed.contradiction);
  return withReservedPaths(content, settings);
}

function withReservedPaths(content: ContentFolder, settings: ContentSettings): ContentFolder {
  reservePaths(content, settings, [settings.endpoint, HEALTH]);
  return content;
}

/** The path of the health check. */
export const HEALTH = '/healthz';

/** Reserves the URLs of paths that the server answers itself; see `ContentFolder.reservedUrls`. */
export function reservePaths(
  { reservedUrls }: Pick<ContentFolder, 'reservedUrls'>,
  { siteUrl }: Pick<ContentSettings, 'siteUrl'>,
  paths: Iterable<string>,
): void {
  for (const path of paths) {
    const canonical = canonicalUrl(new URL(path, siteUrl).href);
    if (canonical !== undefined) reservedUrls.add(canonical);
  }
}

/** Who builds the site in the background of a receiver: Pressmark or the site's own generator; null if nobody does. */
export function builderOf({
  generator,
  buildsInBackground,
  site,
}: Pick<Settings, 'generator' | 'buildsInBackground' | 'site'>): 'pressmark' | 'generator' | null {
  if (generator === 'plain') return site === false ? null : 'pressmark';
  return buildsInBackground ? 'generator' : null;
}

/** The generator in the config, with its options; undefined for `plain`. */
export function generatorOf(settings: ContentSettings): SiteGenerator | undefined {
  const { generator: setting, articles, dir } = settings;
  const name = typeof setting === 'string' ? setting : setting.name;
  if (name === 'plain') return undefined;
  const generator =
    typeof setting === 'object' && 'mapping' in setting ? (setting as Generator) : generatorNamed(name);
  const files = siteFiles(dir);
  const set = typeof setting === 'object' && !('mapping' in setting) ? withoutName(setting) : {};
  const timeZone = articles.timeZone ?? set.timeZone;
  const options: GeneratorOptions = {
    ...set,
    ...(timeZone !== undefined && { timeZone }),
  };
  return { generator, options, mapping: mappingOf(settings, generator, options), files };
}

/**
 * The paths and URLs of a site's articles.
 *
 * @param timeZone the time zone of dates in paths. @default UTC
 */
export function layoutOf(
  { siteUrl, articles }: { siteUrl: string; articles: Pick<Settings['articles'], 'file' | 'permalink'> },
  timeZone?: string,
): Layout {
  return patternLayout(siteUrl, articles.file, articles.permalink, timeZone);
}

/** The mapping of a site's articles to its generator's files. */
export function mappingOf(
  settings: Pick<Settings, 'siteUrl' | 'articles'>,
  generator: Generator,
  options: GeneratorOptions,
): ArticleMapping {
  const { siteUrl, articles } = settings;
  const { url } = layoutOf(settings, options.timeZone);
  const mapping = generator.mapping({
    ...options,
    body: articles.body,
    constants: articles.frontMatter,
    address: (slug, date) => url(slug, date).slice(siteUrl.length),
  });
  const { authors, knownAuthorsOnly, categories, keptTags, limits } = options;
  return { ...mapping, ...defined({ authors, knownAuthorsOnly, categories, keptTags, limits }) };
}

/** The folder whose files the site's generator copies to the site as they are, relative to the site's folder. */
export function staticFolderOf(settings: ContentSettings): string {
  const site = generatorOf(settings);
  if (site === undefined) return STATIC;
  const { generator, options, files } = site;
  const folder = options.staticFolder ?? generator.staticFolder?.(files) ?? 'public';
  return folder === settings.output ? STATIC : folder;
}

/** Files and folders that no build may replace. */
const SOURCES = ['.git', '.pressmark', 'node_modules', 'plugins', 'package.json'];

/**
 * Refuses an output folder that holds sources of the site: a build replaces the whole folder, and they would be lost.
 *
 * @param own further sources of this kind of site.
 * @throws PressmarkError CONFIG_INVALID if the output folder is or holds the content folder, or another source.
 */
function refuseSourcesAsOutput({ dir, content, output }: ContentSettings, own: readonly string[]): void {
  const others = [...SOURCES, ...own].filter((path) => fs.existsSync(join(dir, path)));
  // Compared by name and by real path, as either may be a symbolic link.
  const held = [content, ...others].find((path) =>
    [resolve, realPath].some((at) => `${at(dir, path)}${sep}`.startsWith(`${at(dir, output)}${sep}`)),
  );
  if (held === undefined) return;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `output ${quote(output)} is or holds ${held}, a source of the site, which the built site would replace; set output to a folder that holds nothing but the built site`,
  );
}

function realPath(dir: string, name: string): string {
  const path = resolve(dir, name);
  return fs.existsSync(path) ? fs.realpathSync(path) : path;
}

function withoutName({
  name: _,
  ...options
}: { readonly name: string } & GeneratorOptions): GeneratorOptions {
  return options;
}
