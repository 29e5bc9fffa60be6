import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { readKeptOptions, SETTINGS_FILE } from '../../config/settings-file.js';
import { quote } from '../../errors.js';
import type { Face } from '../../host/hooks/hook-types.js';
import { startHost } from '../../host/host.js';
import { createLog } from '../../log.js';
import { themeFolder } from '../builder/theme.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { idleJobs, idlePages, NO_ARTICLES, runsPages, siteOfPlugins } from '../plugins/surroundings.js';
import { checked, type Finding, warn } from './finding.js';

const about = 'plugins';

/** Whether the theme is there, and the plugins can be set up: in the receiver, and where pages are built. */
export async function pluginFindings(settings: Settings): Promise<readonly Finding[]> {
  const refused = await checked('theme', async () => void themeFolder(settings));
  return refused.length > 0 ? refused : checked(about, () => findingsOfPlugins(settings));
}

async function findingsOfPlugins(settings: Settings): Promise<Finding[]> {
  const { plugins, jobs, found } = await setUp(settings, 'receiver');
  const { hooks, calls } = runsPages(settings) ? await setUp(settings, 'pages') : { hooks: [], calls: [] };
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
    ...[...idlePages(plugins, settings, hooks, calls), ...idleJobs(jobs, settings)].map(
      (text): Finding => ({ level: 'warn', about, text }),
    ),
    ...found.map(({ plugin, ...finding }): Finding => ({ about: `plugin ${plugin}`, ...finding })),
  ];
}

async function setUp(settings: Settings, face: Face) {
  const plugins = await loadPlugins(settings.dir, settings.plugins);
  const host = await startHost(plugins, {
    ...siteOfPlugins(settings),
    face,
    environment: readEnvironment(settings),
    log: createLog({ level: 'silent', terminal: false }),
    articles: NO_ARTICLES,
  });
  const found = await host.findings();
  await host.close();
  return { plugins, ...host.report(), found, calls: host.additions.calls };
}
