import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { watch } from 'chokidar';
import { CONFIG_NAMES } from '../config/config-file.js';
import type { Settings } from '../config/load.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import { isTermTextPath } from '../site/index/owner-texts.js';
import { themeOf } from './builder/theme.js';
import { foldersOf } from './content/folders.js';

export interface FollowOptions {
  readonly settings: Settings;
  /** Reads the settings again; undefined where a change of them waits for the next start. */
  readonly reload: (() => Promise<Settings>) | undefined;
  readonly log: Log;
}

/**
 * Follows what a person changes in templates and settings while the service runs.
 *
 * @param on.onTheme called after a template, a style sheet or a page of the owner's has changed.
 * @param on.onTermTexts called with the paths below the content folder after texts on tags or authors have changed.
 * @param on.onSettings called with the settings to go on with after they have changed in what can change now.
 * @returns what ends the following.
 */
export function followSettings(
  { settings, reload, log }: FollowOptions,
  on: Pick<SourceListeners, 'onTheme' | 'onTermTexts'> & { onSettings(settings: Settings): void },
): () => Promise<void> {
  let current = settings;
  let queue = Promise.resolve(); // one after the other: an older reading must not win
  async function reread(load: () => Promise<Settings>): Promise<void> {
    const before = current;
    current = await rereadSettings(before, load, log);
    if (current !== before) on.onSettings(current);
  }
  const onConfig = () => {
    if (reload !== undefined) queue = queue.then(() => reread(reload));
  };
  const { templatesDir, contentDir } = foldersOf(settings);
  const ofOwner = ['pages', 'tags', 'authors'].map((name) => join(contentDir, name));
  const folders = [templatesDir, ...ofOwner, ...themeOf(settings).dirs];
  const { onTheme, onTermTexts } = on;
  return watchSources({ dir: settings.dir, contentDir, folders }, { onTheme, onTermTexts, onConfig }, log);
}

/** Not settings of a person's, or only together with one. */
const NO_SETTINGS: readonly (keyof Settings)[] = ['dir', 'environment', 'configFile', 'siteUrlIsGuess'];

/** By what name a person knows a setting. */
const NAMES: Partial<Record<keyof Settings, string>> = {
  secrets: 'PRESSMARK_SECRET',
  deployHook: 'PRESSMARK_DEPLOY_HOOK',
  statusToken: 'PRESSMARK_STATUS_TOKEN',
  buildsInBackground: 'build.background',
  buildTimeoutMs: 'build.timeLimit',
};

/**
 * Reads the settings again after the config or `.env` has changed. What the site says and how it looks is taken over;
 * of everything else the log says that it waits for the next start. Wrong settings change nothing.
 *
 * @param load reads them; throws what `loadSettings` throws.
 * @returns the settings to go on with; the same object where nothing is to be done.
 */
async function rereadSettings(current: Settings, load: () => Promise<Settings>, log: Log): Promise<Settings> {
  let next: Settings;
  try {
    next = await load();
    themeOf(next);
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the config is wrong and was not taken over; the old one stays');
    return current;
  }
  const isSiteLive = current.site !== false && next.site !== false;
  const waiting = changedKeys(current, next).filter((key) => !(key === 'site' && isSiteLive));
  if (waiting.length > 0) {
    const settings = waiting.map((key) => NAMES[key] ?? key);
    log.warn({ settings }, 'these settings have changed, which takes effect at the next start');
  }
  if (!isSiteLive || isDeepStrictEqual(current.site, next.site)) return current;
  log.info('the config has changed; the site is built anew');
  return { ...current, site: next.site, configFile: next.configFile };
}

function changedKeys(before: Settings, after: Settings): (keyof Settings)[] {
  const keys = Object.keys({ ...before, ...after }) as (keyof Settings)[];
  return keys.filter((key) => {
    if (NO_SETTINGS.includes(key)) return false;
    if (key === 'plugins') return !isDeepStrictEqual(before.plugins.map(mark), after.plugins.map(mark));
    return !isDeepStrictEqual(before[key], after[key]);
  });
}

/** What a plugin of the config is known by: its objects are other ones each time the config is read. */
function mark(plugin: unknown): unknown {
  if (Array.isArray(plugin)) return plugin.map(mark);
  if (typeof plugin !== 'object' || plugin === null) return plugin;
  return Object.entries(plugin).map(([key, value]) => [key, String(value)]);
}

/** Changes are gathered this long, so that an editor's write-rename-chmod is one. */
const SETTLE_MS = 100;

/** The sources of the site besides the articles. */
interface Sources {
  /** The site's folder, with the config and `.env`. */
  readonly dir: string;
  readonly contentDir: string;
  /** With templates, and with what the owner wrote besides articles: pages, and texts on tags and authors. */
  readonly folders: readonly string[];
}

/** The functions that are called after a change. */
interface SourceListeners {
  /** Called after a template, a partial, a style sheet, or a page that the owner wrote was added, changed or removed. */
  onTheme(): void;
  /** Called after the owner's texts on tags or authors were added, changed or removed, with their paths below the content folder. */
  onTermTexts(paths: readonly string[]): void;
  /** Called after the config or `.env` was added, changed or removed. */
  onConfig(): void;
}

/**
 * Watches templates and settings, which need not be there yet.
 *
 * @returns what ends the watching.
 */
function watchSources(
  { dir, contentDir, folders }: Sources,
  { onTheme, onTermTexts, onConfig }: SourceListeners,
  log: Log,
): () => Promise<void> {
  const settings = [...CONFIG_NAMES, '.env'];
  // With the folders above them: one such as content/tags may come into being later.
  const watched = [...new Set([dir, ...folders, ...folders.map((folder) => dirname(folder))])];
  const sources = [...watched, ...settings.map((name) => `${dir}/${name}`)];
  const isSource = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  // The folder, and not each config in it: a watched file that is removed is not noticed when it comes again.
  const watcher = watch(watched, {
    ignoreInitial: true,
    // What editors keep next to a file, and in a folder that is more than templates what is none of ours.
    ignored: (path) =>
      /[\\/](?:\.(?!env$)|node_modules)/.test(path.slice(dir.length)) ||
      !(sources.includes(path) || isSource(path)),
  });
  let due = new Set<() => void>();
  let texts = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  watcher.on('all', (_event, path) => {
    const isSettings = settings.includes(basename(path)) && path === `${dir}/${basename(path)}`;
    if (!isSettings && !isSource(path)) return;
    const below = relative(contentDir, path).replaceAll('\\', '/');
    if (isTermTextPath(below)) texts.add(below);
    else due.add(isSettings ? onConfig : onTheme);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = due;
      const changed = [...texts];
      [due, texts] = [new Set(), new Set()];
      if (changed.length > 0) onTermTexts(changed);
      for (const listener of now) listener();
    }, SETTLE_MS);
  });
  watcher.on('error', (error) =>
    log.warn({ reason: messageOf(error) }, 'templates and config are not watched; restart after a change'),
  );
  return () => {
    clearTimeout(timer);
    return watcher.close();
  };
}
