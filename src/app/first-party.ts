import { isAbsolute, join, relative, sep } from 'node:path';
import type { Settings } from '../config/load.js';
import { gitPlugin, type StoredFile } from '../git/plugin.js';
import type { PluginEntry } from '../host/plugins.js';
import type { Catalog } from '../store/catalog.js';
import { type ContentFolder, isGone, readArticle } from '../store/entry.js';

/** What the first-party plugins are made from. */
export interface FirstPartyOptions {
  readonly settings: Settings;
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  /** A path below the content folder, as seen from the site's folder. */
  readonly siteRelative: (path: string) => string;
}

/** The plugins that come with Pressmark, as far as the config wants them. */
export function firstPartyPlugins(options: FirstPartyOptions): PluginEntry[] {
  const { git } = options.settings;
  return [...(git === false ? [] : [gitEntry(options, git)])];
}

function gitEntry(
  { settings, content, catalog, siteRelative }: FirstPartyOptions,
  git: true | { author?: { name: string; email: string } | undefined },
): PluginEntry {
  const author = git === true ? undefined : git.author;
  const plugin = gitPlugin({
    siteDir: settings.dir,
    ...(author !== undefined && { author }),
    readStored: async (path) => readStored(content, relative(content.root, join(settings.dir, path))),
    paths: function* () {
      for (const { path, broken } of catalog.entries()) if (broken === undefined) yield siteRelative(path);
    },
  });
  return { plugin, origin: 'git in the config' };
}

function readStored(content: ContentFolder, path: string): StoredFile | undefined {
  if (path.startsWith('..') || isAbsolute(path)) return undefined;
  try {
    const { text, stored } = readArticle(content, path.split(sep).join('/'));
    const { id, revision, title, updated } = stored.article;
    return { text, articleId: id, revision, title, updated: updated !== null, pristine: !stored.edited };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
