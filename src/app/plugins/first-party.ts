import { adminPlugin } from '../../admin/plugin.js';
import type { Settings } from '../../config/load.js';
import { buildPlugin } from '../../deploy/build-plugin.js';
import { definePlugin, type PluginEntry } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import { sitePlugin } from '../../site/plugin.js';
import { lastStateChange } from '../../store/catalog/entry.js';
import { adminOrigin } from '../admin-users.js';
import { addressPlugin } from '../build/address-plugin.js';
import { previewPlugin } from '../build/site-preview.js';
import { createBuildProcess } from '../build/start-build-process.js';
import { searchOf, startBuilder } from '../builder/start-builder.js';
import { contentPrefix } from '../content/folders.js';
import type { DurableStore } from '../durable-store.js';
import { followSources } from '../follow-sources.js';

const isFirstParty = true;

/** The parts of a receiver that the first-party plugins need. */
export interface FirstPartyOptions {
  readonly settings: Settings;
  /** Whether the log goes to a terminal. */
  readonly terminal: boolean;
  readonly log: Log;
  readonly durable: DurableStore;
  /** Files and folders that the pages of plugins depend on. */
  readonly sources: readonly string[];
}

/** The options for a site that Pressmark builds. */
type SiteEntryOptions = FirstPartyOptions & { readonly site: Exclude<Settings['site'], false> };

/** The plugins of Pressmark itself that the config enables. */
export function firstPartyPlugins(options: FirstPartyOptions): PluginEntry[] {
  const { site, admin } = options.settings;
  return [
    {
      plugin: adminPlugin({
        publicOrigin: adminOrigin(options.settings),
        trustedProxies: admin.trustedProxies,
      }),
      origin: 'admin in the config',
      isFirstParty,
    },
    site === false ? settingsEntry(options) : siteEntry({ ...options, site }),
    ...buildEntry(options),
    ...gitEntry(options.durable),
  ];
}

/** The plugin of the store's durability level. */
export function gitEntry({ git }: Pick<DurableStore, 'git'>): PluginEntry[] {
  return git === undefined ? [] : [{ plugin: git, origin: 'git in the config', isFirstParty }];
}

function siteEntry({ settings, site, terminal, log, sources }: SiteEntryOptions): PluginEntry {
  const plugin = sitePlugin({
    spawn: () => startBuilder(settings, terminal),
    contentPrefix: contentPrefix(settings),
    watch: (onChange) => followSources(settings, onChange, log, sources),
    search: (pages, onWritten) => searchOf(settings, site, pages, log, onWritten),
  });
  return { plugin, origin: 'site in the config', isFirstParty };
}

/** The plugin that builds the site with its own generator, or only lists addresses if there are no builds in the background. */
function buildEntry({ settings, durable, log }: FirstPartyOptions): PluginEntry[] {
  const { buildsInBackground, buildEveryMs: everyMs, dir, environment } = settings;
  if (!isBuiltByGenerator(settings)) return [];
  const origin = 'build in the config';
  const preview = { plugin: previewPlugin(settings), origin, isFirstParty };
  if (!buildsInBackground)
    return [
      { plugin: addressPlugin(dir, environment), origin: 'generator in the config', isFirstParty },
      preview,
    ];
  const { catalog } = durable;
  const { build: buildIn, ...builds } = createBuildProcess(dir, environment, log);
  const plugin = buildPlugin({
    build: (isForced) =>
      buildIn({ lastStateChange: lastStateChange(catalog.entries(), Date.now()), isForced }),
    ...builds,
    everyMs,
  });
  return [{ plugin, origin, isFirstParty }, preview];
}

function isBuiltByGenerator({ generator, build }: Settings): boolean {
  return generator !== 'plain' && build !== undefined;
}

/** If no site is built here, only changes of the config are followed, and logged. */
function settingsEntry({ settings, log }: FirstPartyOptions): PluginEntry {
  const plugin = definePlugin({
    name: 'settings',
    receiver: (host) => {
      if (!isBuiltByGenerator(settings)) host.provide('preview', { page: async () => ({ kind: 'none' }) });
      host.onClose(followSources(settings, () => undefined, log));
    },
  });
  return { plugin, origin: 'site: false in the config', isFirstParty };
}
