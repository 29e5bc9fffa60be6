import type { Settings } from '../config/load.js';
import type { PluginEntry } from '../host/plugins.js';
import type { Catalog } from '../store/catalog.js';
import type { ContentFolder } from '../store/entry.js';

/** The plugins that come with Pressmark, as far as the config wants them: the site and git. */
export function firstPartyPlugins(
  _settings: Settings,
  _catalog: Catalog,
  _content: ContentFolder,
  _siteRelative: (path: string) => string,
): PluginEntry[] {
  return [];
}
