import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import type { Plugin, PluginEntry, ReceiverHost } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import { pluginLoaders } from './load-plugins.js';

/**
 * The site's plugins for a command that commits: their `git.message` filters and `git.committed` actions run, and
 * nothing else of theirs, as the receiver runs all other hooks. A plugin that is broken is left out, and the log names it.
 */
export async function commitMessagePlugins(
  { dir, plugins }: Pick<Settings, 'dir' | 'plugins'>,
  log: Log,
): Promise<PluginEntry[]> {
  const leaveOut = (error: unknown) =>
    log.warn(
      { reason: messageOf(error) },
      'a plugin that is broken is left out; it does not change the commit message',
    );
  const loaded: PluginEntry[] = [];
  for (const load of pluginLoaders(dir, plugins)) {
    try {
      loaded.push({ ...(await load()), onFailure: leaveOut });
    } catch (error) {
      leaveOut(error);
    }
  }
  return loaded.map((entry) => ({ ...entry, plugin: commitHooksOnly(entry.plugin) }));
}

const nothing = () => undefined;

/** The same plugin, of whose hooks only those about commits are run. */
function commitHooksOnly(plugin: Plugin): Plugin {
  // the host says what is wrong with it
  if (typeof plugin?.receiver !== 'function') return plugin;
  const receiver = (host: ReceiverHost) =>
    plugin.receiver?.({
      ...host,
      routes: nothing,
      adapter: nothing,
      addFilter: (name, handler, options) =>
        name === 'git.message' ? host.addFilter(name, handler, options) : nothing,
      addAction: (name, handler, options) =>
        name === 'git.committed' ? host.addAction(name, handler, options) : nothing,
    });
  return { ...plugin, receiver };
}
