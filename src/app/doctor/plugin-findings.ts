import type { Settings } from '../../config/load.js';
import { type PluginHost, startHost } from '../../host/plugins.js';
import { createLog } from '../../log.js';
import { themeFolder } from '../builder/theme.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { firstPartyStandIns } from '../plugins/stand-ins.js';
import { type Finding, refusal } from './finding.js';

const NO_ARTICLES = { get: async () => undefined, find: async () => undefined, ids: () => new Set<string>() };

/** Whether the theme is there, and the plugins can be set up: in the receiver, and where pages are built. */
export async function pluginFindings(settings: Settings): Promise<Finding[]> {
  const log = createLog({ level: 'silent', terminal: false });
  const setUp = async (role: PluginHost['role']) => {
    const plugins = [...firstPartyStandIns(settings), ...(await loadPlugins(settings.dir, settings.plugins))];
    const { dir: siteDir, siteUrl } = settings;
    const host = await startHost(plugins, { role, siteUrl, siteDir, log, articles: NO_ARTICLES });
    await host.close();
  };
  try {
    themeFolder(settings);
  } catch (error) {
    return [refusal('theme', error)];
  }
  try {
    await setUp('receiver');
    if (settings.site !== false) await setUp('builder');
    return [];
  } catch (error) {
    return [refusal('plugins', error)];
  }
}
