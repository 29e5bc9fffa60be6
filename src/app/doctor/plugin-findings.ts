import { readEnvironment, type Settings } from '../../config/load.js';
import type { Face } from '../../host/hooks.js';
import { startHost } from '../../host/host.js';
import { createLog } from '../../log.js';
import { themeFolder } from '../builder/theme.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { idlePages, siteOfPlugins } from '../plugins/surroundings.js';
import { type Finding, refusal } from './finding.js';

const NO_ARTICLES = { get: async () => undefined, find: async () => undefined, ids: () => new Set<string>() };

/** Whether the theme is there, and the plugins can be set up: in the receiver, and where pages are built. */
export async function pluginFindings(settings: Settings): Promise<Finding[]> {
  const log = createLog({ level: 'silent', terminal: false });
  const environment = readEnvironment(settings);
  const around = { ...siteOfPlugins(settings), environment, log, articles: NO_ARTICLES };
  const setUp = async (face: Face) => {
    const plugins = await loadPlugins(settings.dir, settings.plugins);
    const host = await startHost(plugins, { face, ...around });
    await host.close();
    return plugins;
  };
  try {
    themeFolder(settings);
  } catch (error) {
    return [refusal('theme', error)];
  }
  try {
    const plugins = await setUp('receiver');
    if (settings.site !== false) await setUp('pages');
    return idlePages(plugins, settings).map((text) => ({ level: 'warn', about: 'plugins', text }));
  } catch (error) {
    return [refusal('plugins', error)];
  }
}
