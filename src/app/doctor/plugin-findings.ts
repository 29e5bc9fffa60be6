import { readEnvironment, type Settings } from '../../config/load.js';
import { readKeptOptions, SETTINGS_FILE } from '../../config/settings-file.js';
import { quote } from '../../errors.js';
import type { Face } from '../../host/hooks/hooks.js';
import { startHost } from '../../host/host.js';
import type { PluginEntry } from '../../host/plugin.js';
import { createLog } from '../../log.js';
import { themeFolder } from '../builder/theme.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { idleJobs, idlePages, NO_ARTICLES, runsPages, siteOfPlugins } from '../plugins/surroundings.js';
import { type Finding, refusal } from './finding.js';

/** Whether the theme is there, and the plugins can be set up: in the receiver, and where pages are built. */
export async function pluginFindings(settings: Settings): Promise<Finding[]> {
  const log = createLog({ level: 'silent', terminal: false });
  const environment = readEnvironment(settings);
  const around = { ...siteOfPlugins(settings), environment, log, articles: NO_ARTICLES };
  const setUp = async (face: Face) => {
    const plugins = await loadPlugins(settings.dir, settings.plugins);
    const host = await startHost(plugins, { face, ...around });
    const found = await host.findings();
    await host.close();
    return { plugins, ...host.report(), found, calls: host.additions.calls };
  };
  try {
    themeFolder(settings);
  } catch (error) {
    return [refusal('theme', error)];
  }
  try {
    const { plugins, jobs, found } = await setUp('receiver');
    const { hooks, calls } = runsPages(settings) ? await setUp('pages') : { hooks: [], calls: [] };
    const idle = [...idlePages(plugins, settings, hooks, calls), ...idleJobs(jobs, settings)];
    return [
      ...settingsOfNobody(settings, plugins),
      ...idle.map((text): Finding => ({ level: 'warn', about: 'plugins', text })),
      ...found.map(({ plugin, ...finding }): Finding => ({ about: `plugin ${plugin}`, ...finding })),
    ];
  } catch (error) {
    return [refusal('plugins', error)];
  }
}

/** Settings that the settings file has for plugins which are not there. */
function settingsOfNobody({ dir }: Settings, plugins: readonly PluginEntry[]): Finding[] {
  return Object.keys(readKeptOptions(dir))
    .filter((name) => plugins.every(({ plugin }) => plugin.name !== name))
    .map((name) => ({
      level: 'warn',
      about: 'plugins',
      text: `${SETTINGS_FILE} has settings of ${quote(name)}, and there is no such plugin`,
      fix: 'add the plugin, or remove its settings',
    }));
}
