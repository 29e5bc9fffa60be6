import { hash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { asciiSlugText } from '../../article/address/slug.js';
import { memoized } from '../../article/names.js';
import type { Settings } from '../../config/load.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError } from '../../errors.js';
import { versionAt } from '../../fs/fingerprint.js';
import type { ArticleReader, ListedArticle } from '../../host/articles/articles.js';
import { guardMeanwhile } from '../../host/guard.js';
import { startHost } from '../../host/host.js';
import type { PluginEntry } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import { PACKAGE_VERSION } from '../../own-package.js';
import { type Builder, createBuilder } from '../../site/builder/builder.js';
import type { SiteOptions } from '../../site/options.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import { pagefindVersion } from '../../site/search.js';
import { type Catalog, createCatalog } from '../../store/catalog/catalog.js';
import { type ContentFolder, readArticleSync } from '../../store/catalog/content-folder.js';
import type { Entry } from '../../store/catalog/entry.js';
import { listedArticle } from '../articles/host-articles.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { noteFigures } from '../plugins/figures.js';
import { siteOfPlugins } from '../plugins/host-context.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { themeFolders } from './theme.js';

/** A builder with its plugins. */
export interface SiteBuilder {
  readonly builder: Builder;
  close(): Promise<void>;
}

/** The settings for the builder's thread: without the plugins, which it loads itself, and without the secrets. */
export type BuilderSettings = Omit<
  Settings,
  'plugins' | 'secrets' | 'environment' | 'deployHook' | 'gitToken' | 'statusToken'
>;

/**
 * Opens the builder of a site with its own plugin host, because builds run in a thread and functions cannot be passed to
 * threads.
 *
 * @param configured the config's `plugins`.
 * @param longestWaitMs how long to wait for another process that builds the site. @default until it ends
 */
export async function openSiteBuilder(
  settings: BuilderSettings,
  configured: readonly unknown[],
  log: Log,
  longestWaitMs?: number,
): Promise<SiteBuilder> {
  const { site } = settings;
  if (site === false)
    throw new PressmarkError('USAGE', 'site is false in the config: another generator builds this site');
  const { pageSize, search, hosting, contentSecurityPolicy } = site;
  const { contentDir, ...folders } = foldersOf(settings);
  const content = contentOf(settings);
  const catalog = createCatalog();
  const release = guardMeanwhile(log); // in the receiver, the thread is guarded itself
  const open = async () => {
    const loaded = await loadPlugins(settings.dir, configured);
    const around = { ...siteOfPlugins(settings), log };
    const articles = articleReader(content, catalog, contentPrefix(settings));
    return { plugins: loaded, host: await startHost(loaded, { face: 'pages', ...around, articles }) };
  };
  const { plugins, host } = await open().catch((error: unknown) => {
    release();
    throw error;
  });
  const noteLast = noteFigures(folders.stateDir, 'pages', host, plugins, log);
  fs.mkdirSync(contentDir, { recursive: true });
  const builder = createBuilder({
    ...folders,
    themeDirs: themeFolders(settings, host.additions.folders),
    additions: host.additions,
    content,
    catalog,
    site: siteInfoOf(settings.siteUrl, {
      ...site,
      search: search !== false && pagefindVersion(log) !== undefined,
    }),
    termSlug: termSlugOf(settings.articles, site.language),
    pageSize,
    hosting,
    contentSecurityPolicy,
    log, // its lines name the plugin at fault
    hooks: host.hooks,
    outputs: host.outputs,
    setupKey: () =>
      setupKeyOf(plugins, [settings.configFile, join(settings.dir, SETTINGS_FILE), ...host.additions.inputs]),
    ...(longestWaitMs !== undefined && { lock: { longestMs: longestWaitMs } }),
  });
  const close = async () => {
    await builder.close();
    await noteLast();
    await host.close();
    release();
  };
  return { builder, close };
}

/** Makes the addresses of tags and authors, if the config wants ASCII; memoized, because it is slow. */
function termSlugOf({ slug, language }: Settings['articles'], siteLanguage: string): SiteOptions['termSlug'] {
  return slug === 'ascii' ? memoized((name) => asciiSlugText(name, language ?? siteLanguage)) : undefined;
}

/**
 * A key of what all pages depend on besides articles and templates. It includes the version of Node.js, whose tables of
 * languages and time zones format dates.
 */
function setupKeyOf(plugins: readonly PluginEntry[], files: readonly (string | undefined)[]): string {
  const { icu, tz, cldr, unicode } = process.versions;
  const parts = plugins.map(({ plugin, file }) => [plugin.name, plugin.version, folderVersion(file)]);
  return hash(
    'sha256',
    JSON.stringify([versions(), [icu, tz, cldr, unicode], parts, files.map(fileVersion)]),
  );
}

/** A version of a plugin's folder: it changes with the plugin's file, its modules and its data. */
function folderVersion(file: string | undefined): unknown {
  if (file === undefined) return null;
  const folder = dirname(file);
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, fileVersion(join(folder, name))])
    .sort();
}

function fileVersion(path: string | undefined): string | null {
  return path === undefined ? null : (versionAt(path) ?? null);
}

/** The versions of Pressmark and of its Markdown renderer. */
function versions(): string[] {
  const require = createRequire(import.meta.url);
  const markdown: { version: string } = require('markdown-it/package.json');
  return [PACKAGE_VERSION, markdown.version];
}

/**
 * Reads articles from their present files, for plugins in the builder's thread. Unreadable and duplicate articles are left out.
 */
export function articleReader(content: ContentFolder, catalog: Catalog, prefix: string): ArticleReader {
  function only([entry, other]: readonly Entry[]): ListedArticle | undefined {
    if (entry === undefined || other !== undefined || entry.broken !== undefined) return undefined;
    try {
      return listedArticle(`${prefix}${entry.path}`, readArticleSync(content, entry.path).stored);
    } catch {
      return undefined; // gone or malformed since
    }
  }

  return {
    get: async (id) => only(catalog.byId(id)),
    find: async (url) => only(catalog.byUrl(canonicalUrl(url) ?? '')),
    ids: () => new Set([...catalog.entries()].map(({ id }) => id)),
  };
}
