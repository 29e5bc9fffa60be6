import type { Settings } from '../../config/load.js';
import { readKeptOptions, SETTINGS_FILE } from '../../config/settings-file.js';
import { quote } from '../../errors.js';
import { themeFolder } from '../builder/theme.js';
import { idleJobs, idlePages, runsPages } from '../plugins/host-context.js';
import { lookAtPlugins } from '../plugins/list-plugins.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { checked, type Finding, warn } from './finding.js';

const about = 'plugins';

/** Whether the theme exists, and the plugins can be set up in the receiver and in the builder. */
export async function pluginFindings(settings: Settings): Promise<readonly Finding[]> {
  const refused = await checked('theme', async () => void themeFolder(settings));
  return refused.length > 0 ? refused : checked(about, () => findingsOfPlugins(settings));
}

async function findingsOfPlugins(settings: Settings): Promise<Finding[]> {
  const plugins = await loadPlugins(settings.dir, settings.plugins);
  const { jobs, found } = await lookAtPlugins(plugins, settings, 'receiver', async (host) => ({
    jobs: host.report().jobs,
    found: await host.findings(),
  }));
  const idleInPages = runsPages(settings)
    ? await lookAtPlugins(plugins, settings, 'pages', (host) =>
        idlePages(plugins, settings, host.report().hooks, host.additions.calls),
      )
    : idlePages(plugins, settings, []);
  const unknown = Object.keys(readKeptOptions(settings.dir)).filter((name) =>
    plugins.every(({ plugin }) => plugin.name !== name),
  );
  return [
    ...unknown.map((name) =>
      warn(
        about,
        `${SETTINGS_FILE} has settings for the plugin ${quote(name)}, which is not loaded`,
        'add the plugin, or remove its settings',
      ),
    ),
    ...[...idleInPages, ...idleJobs(jobs, settings)].map((text): Finding => ({ level: 'warn', about, text })),
    ...found.map(({ plugin, ...finding }): Finding => ({ about: `plugin ${plugin}`, ...finding })),
  ];
}
