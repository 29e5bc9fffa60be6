import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import type { Plugin, PluginEntry, PluginHost } from '../../host/plugins.js';
import type { Log } from '../../log.js';
import { pluginLoaders } from './load-plugins.js';

/**
 * The site's plugins for a command that commits: their `git.message` filters and `git.committed` actions run, and
 * nothing else of theirs, as the receiver runs all other hooks. A plugin that is broken is left out, and the log names it.
 */
export async function wordingPlugins(
  { dir, plugins }: Pick<Settings, 'dir' | 'plugins'>,
  log: Log,
): Promise<PluginEntry[]> {
  const leaveOut = (error: unknown) =>
    log.warn({ reason: messageOf(error) }, 'the commit is worded without a plugin that is broken');
  const loaded: PluginEntry[] = [];
  for (const load of pluginLoaders(dir, plugins)) {
    try {
      loaded.push({ ...(await load()), onFailure: leaveOut });
    } catch (error) {
      leaveOut(error);
    }
  }
  const names = new Set(loaded.map(({ plugin }) => plugin?.name));
  return loaded.map((entry) => ({ ...entry, plugin: wordingOnly(entry.plugin, names) }));
}

/**
 * The same plugin, of whose hooks only those about commits are run.
 *
 * @param names the plugins that are there; what it requires besides them, such as the site, is the receiver's.
 */
function wordingOnly(plugin: Plugin, names: ReadonlySet<string>): Plugin {
  // the host says what is wrong with it
  if (typeof plugin?.setup !== 'function') return plugin;
  const setup = (host: PluginHost) => {
    const quiet: PluginHost = {
      ...host,
      addFilter: (name, handler, options) => {
        if (name === 'git.message') host.addFilter(name, handler, options);
      },
      addAction: (name, handler, options) => {
        if (name === 'git.committed') host.addAction(name, handler, options);
      },
    };
    return plugin.setup(quiet);
  };
  const { requires = [] } = plugin;
  return { ...plugin, requires: requires.filter((name) => names.has(name)), setup };
}
