import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { type PagesReport, type PluginReport, reportsOf } from '../../host/admin/plugin-report.js';
import type { PluginsService } from '../../host/admin/plugins-service.js';
import type { Face } from '../../host/hooks/hook-types.js';
import { type Host, startHost } from '../../host/host.js';
import type { Jobs } from '../../host/jobs/jobs.js';
import { readOpenJobs } from '../../host/jobs/notes.js';
import type { PluginEntry } from '../../host/plugin.js';
import { createLog, type Log } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { readFigures, withFigures } from './figures.js';
import { siteOfPlugins } from './host-context.js';
import { loadPlugins } from './load-plugins.js';
import { openSettingsStore, subjectOf } from './settings-store.js';

// For the command, which may only import from app.
export type { PluginReport } from '../../host/admin/plugin-report.js';

/**
 * Loads the plugins of a site and reports what they have registered, with the figures of the last receiver.
 *
 * @throws PressmarkError PLUGIN_INVALID if one cannot be set up.
 */
export async function listPlugins(settings: Settings): Promise<PluginReport[]> {
  const { stateDir } = foldersOf(settings);
  const plugins = await loadPlugins(settings.dir, settings.plugins);
  const { hooks, jobs, routes } = await lookAtPlugins(plugins, settings, 'receiver', (host) => host.report());
  const pages = await lookAtPlugins(plugins, settings, 'pages', pagesReport);
  const figures = readFigures(stateDir, 'receiver');
  return reportsOf(
    plugins,
    {
      hooks: withFigures(hooks, figures.hooks),
      jobs: jobs.map((job) => figures.jobs.find((one) => one.job === job.job) ?? job),
      routes,
    },
    withPageFigures(pages, stateDir),
    readOpenJobs(stateDir),
  );
}

/**
 * Sets up plugins without running them, and closes them afterwards.
 *
 * @throws PressmarkError PLUGIN_INVALID if one cannot be set up.
 */
export async function lookAtPlugins<Seen>(
  plugins: readonly PluginEntry[],
  settings: Settings,
  face: Face,
  look: (host: Host) => Seen,
): Promise<Awaited<Seen>> {
  const host = await startHost(plugins, {
    ...siteOfPlugins(settings),
    face,
    environment: readEnvironment(settings),
    log: createLog({ level: 'silent', terminal: false }),
    articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
  });
  const seen = await look(host);
  await host.close();
  return seen;
}

/** What the plugins of a host have registered in the builder. */
export function pagesReport(host: Host): PagesReport {
  return {
    hooks: host.report().hooks,
    outputs: host.outputs.map(({ plugin, output: { path } }) => ({ plugin, path })),
  };
}

/** Adds the figures of the last builder. */
function withPageFigures(pages: PagesReport, stateDir: string): PagesReport {
  return { ...pages, hooks: withFigures(pages.hooks, readFigures(stateDir, 'pages').hooks) };
}

interface PluginsServiceOptions {
  readonly settings: Settings;
  /** The site's own plugins. */
  readonly plugins: readonly PluginEntry[];
  readonly pages: PagesReport;
  readonly jobs: Pick<Jobs, 'runAgain'>;
  /** The host of the plugins. */
  readonly host: Host;
  readonly log: Log;
}

/** The plugins of a running receiver, for the admin. */
export function createPluginsService(options: PluginsServiceOptions): PluginsService {
  const { settings, plugins, pages, jobs, host, log } = options;
  const { stateDir } = foldersOf(settings);
  const { read, save } = openSettingsStore(settings, plugins);

  return {
    additions: host.admin,
    list: () => reportsOf(plugins, host.report(), withPageFigures(pages, stateDir), readOpenJobs(stateDir)),
    runAgain: jobs.runAgain,
    settings: read,
    save: async (plugin, values, base, by) => {
      const saved = await save(plugin, values, base, by);
      if (saved.kind !== 'saved') return saved;
      log.info({ plugin, by: by.name }, 'settings of a plugin were saved; they count from the next start on');
      const { commit } = saved;
      // The commit is pushed like any other.
      if (commit.kind === 'committed')
        void host.hooks.doAction('git.committed', {
          commit: commit.commit,
          path: SETTINGS_FILE,
          subject: subjectOf(plugin),
        });
      return saved;
    },
  };
}
