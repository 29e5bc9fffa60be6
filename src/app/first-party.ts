import { isAbsolute, join, relative, sep } from 'node:path';
import type { Settings } from '../config/load.js';
import { readBuildState } from '../deploy/build/build-state.js';
import { buildPlugin } from '../deploy/build-plugin.js';
import { PressmarkError } from '../errors.js';
import { gitPlugin } from '../git/plugin.js';
import type { StoredFile } from '../git/stored-file.js';
import { definePlugin, type PluginEntry } from '../host/plugins.js';
import type { Log } from '../log.js';
import { type SitePluginOptions, sitePlugin } from '../site/plugin.js';
import type { Catalog } from '../store/catalog.js';
import { type ContentFolder, decodeAt, isGone, readArticle } from '../store/entry.js';
import { STAGING } from '../store/recover.js';
import { createBuildProcess } from './build/start-build-process.js';
import type { DurableStore } from './durability.js';
import { foldersOf } from './folders.js';
import { followSettings } from './follow-settings.js';
import { openSearch } from './open-search.js';
import { type EarlyBuilder, startBuilder } from './start-builder.js';

/** What the first-party plugins are made from. */
export interface FirstPartyOptions {
  readonly settings: Settings;
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  /** A path below the content folder, as seen from the site's folder. */
  readonly siteRelative: (path: string) => string;
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
  const { git, site } = options.settings;
  return [
    site === false ? settingsEntry(options) : siteEntry(options),
    ...buildEntry(options.settings),
    ...(git === false ? [] : [gitEntry(options, git)]),
  ];
}

/** The plugin that commits, as the config wants it. */
export function gitEntry(
  {
    settings,
    content,
    catalog,
    siteRelative,
    durable,
  }: Pick<FirstPartyOptions, 'settings' | 'content' | 'catalog' | 'siteRelative' | 'durable'>,
  git: Exclude<Settings['git'], false>,
): PluginEntry {
  const { author, message, skipCi, commitEdits } =
    git === true ? ({} as Partial<Exclude<typeof git, true>>) : git;
  const { stateDir } = foldersOf(settings);
  const contentRelative = (path: string) => relative(content.root, join(settings.dir, path));
  const plugin = gitPlugin({
    siteDir: settings.dir,
    env: settings.environment,
    ...durable.git,
    ...(author !== undefined && { author }),
    ...(message !== undefined && { message }),
    ...(skipCi !== undefined && { skipCi }),
    ...(commitEdits !== undefined && { commitEdits }),
    readStored: async (path) => readStored(content, contentRelative(path)),
    articles: function* () {
      for (const { path, stamp, broken } of catalog.entries())
        if (broken === undefined) yield { path: siteRelative(path), stamp };
    },
    decode: (path, text) => decoded(content, contentRelative(path), text),
    stateDir,
    staging: join(stateDir, STAGING),
  });
  return { plugin, origin: 'git in the config' };
}

function siteEntry(options: FirstPartyOptions): PluginEntry {
  const { settings, terminal, log } = options;
  let current = settings;
  // The early one was started with the first settings.
  const spawn = () => (current === settings && options.early.take()) || startBuilder(current, terminal);
  const search = openSearch(() => current, log);
  const watch: SitePluginOptions['watch'] = (rebuild) =>
    followSettings(options, {
      onTheme: () => rebuild({ renewed: false }),
      onSettings: (changed) => {
        current = changed;
        rebuild({ renewed: true });
      },
    });
  return {
    plugin: sitePlugin({
      spawn,
      contentDir: settings.content,
      watch,
      search,
      isWhole: options.early.isWhole,
    }),
    origin: 'site in the config',
  };
}

/** Builds the site with its own generator, where the config has a command for that. */
function buildEntry(settings: Settings): PluginEntry[] {
  const { generator, buildsInBackground, dir, environment } = settings;
  if (generator === 'plain' || !buildsInBackground) return [];
  const { interrupted = 0 } = readBuildState(foldersOf(settings).stateDir);
  const plugin = buildPlugin({ ...createBuildProcess(dir, environment), interrupted });
  return [{ plugin, origin: 'build in the config' }];
}

/** Where no site is built, a change of the settings is only told of. */
function settingsEntry(options: FirstPartyOptions): PluginEntry {
  const nothing = () => undefined;
  const plugin = definePlugin({
    name: 'settings',
    setup: (host) => host.onClose(followSettings(options, { onTheme: nothing, onSettings: nothing })),
  });
  return { plugin, origin: 'site: false in the config' };
}

function readStored(content: ContentFolder, path: string): StoredFile | undefined {
  if (path.startsWith('..') || isAbsolute(path)) return undefined;
  try {
    const { text, stored } = readArticle(content, path.split(sep).join('/'));
    return { text, article: stored.article, pristine: !stored.edited, digest: stored.digest };
  } catch (error) {
    // a person is in the middle of an edit, perhaps: nothing to commit now
    if (isGone(error) || isMalformed(error)) return undefined;
    throw error;
  }
}

function decoded(content: ContentFolder, path: string, text: string): StoredFile | undefined {
  try {
    const { article, edited, digest } = decodeAt(content, path.split(sep).join('/'), text);
    return { text, article, pristine: !edited, digest };
  } catch (error) {
    if (isMalformed(error)) return undefined;
    throw error;
  }
}

function isMalformed(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'FRONT_MATTER_INVALID';
}
