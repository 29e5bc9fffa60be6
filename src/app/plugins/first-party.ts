import type { Settings } from '../../config/load.js';
import { readBuildState } from '../../deploy/build/build-state.js';
import { buildPlugin } from '../../deploy/build-plugin.js';
import { gitPlugin } from '../../git/plugin.js';
import { definePlugin, type PluginEntry } from '../../host/plugins.js';
import type { Log } from '../../log.js';
import { type SitePluginOptions, sitePlugin } from '../../site/plugin.js';
import { createBuildProcess } from '../build/start-build-process.js';
import { openSearch } from '../builder/open-search.js';
import { type EarlyBuilder, startBuilder } from '../builder/start-builder.js';
import { foldersOf } from '../content/folders.js';
import type { DurableStore } from '../durability.js';
import { followSettings } from '../follow-settings.js';

const isFirstParty = true;

/** What the first-party plugins are made from. */
export interface FirstPartyOptions {
  readonly settings: Settings;
  /** Whether somebody reads the log along. */
  readonly terminal: boolean;
  /** Reads the settings again; undefined where they are not followed while this runs. */
  readonly reload: (() => Promise<Settings>) | undefined;
  readonly log: Log;
  readonly durable: DurableStore;
  readonly early: EarlyBuilder;
}

/** The plugins that come with Pressmark, as far as the config wants them. */
export function firstPartyPlugins(options: FirstPartyOptions): PluginEntry[] {
  const { site } = options.settings;
  return [
    site === false ? settingsEntry(options) : siteEntry(options),
    ...buildEntry(options.settings),
    ...gitEntry(options.durable),
  ];
}

/** The plugin of the store's durability level. */
export function gitEntry({ git }: Pick<DurableStore, 'git'>): PluginEntry[] {
  return git === undefined ? [] : [{ plugin: gitPlugin(git), origin: 'git in the config', isFirstParty }];
}

function siteEntry(options: FirstPartyOptions): PluginEntry {
  const { settings, terminal, log } = options;
  let current = settings;
  // The early one was started with the first settings.
  const spawn = () => (current === settings && options.early.take()) || startBuilder(current, terminal);
  const watch: SitePluginOptions['watch'] = (onChange) =>
    followSettings(options, {
      onTheme: () => onChange({ work: 'all' }),
      onTermTexts: (work) => onChange({ work }),
      onSettings: (changed) => {
        current = changed;
        onChange({ work: 'all', isRenewed: true });
      },
    });
  return {
    plugin: sitePlugin({
      spawn,
      contentDir: settings.content,
      watch,
      search: (listPages, onWritten) => openSearch(() => current, listPages, log, onWritten),
      isWhole: options.early.isWhole,
    }),
    origin: 'site in the config',
    isFirstParty,
  };
}

/** Builds the site with its own generator, where the config has a command for that. */
function buildEntry(settings: Settings): PluginEntry[] {
  const { generator, buildsInBackground, dir, environment } = settings;
  if (generator === 'plain' || !buildsInBackground) return [];
  const { interrupted = 0 } = readBuildState(foldersOf(settings).stateDir);
  const plugin = buildPlugin({ ...createBuildProcess(dir, environment), interrupted });
  return [{ plugin, origin: 'build in the config', isFirstParty }];
}

/** Where no site is built, a change of the settings is only logged. */
function settingsEntry(options: FirstPartyOptions): PluginEntry {
  const nothing = () => undefined;
  const plugin = definePlugin({
    name: 'settings',
    setup: (host) =>
      host.onClose(followSettings(options, { onTheme: nothing, onTermTexts: nothing, onSettings: nothing })),
  });
  return { plugin, origin: 'site: false in the config', isFirstParty };
}
