import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../config/load.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import { themeOf } from './theme.js';

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
export async function rereadSettings(
  current: Settings,
  load: () => Promise<Settings>,
  log: Log,
): Promise<Settings> {
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
