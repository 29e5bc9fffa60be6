import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { type PagesReport, type PluginReport, reportsOf } from '../../host/admin/plugin-report.js';
import { type Host, startHost } from '../../host/host.js';
import { readOpenJobs } from '../../host/jobs/notes.js';
import { createLog } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { readFigures, withFigures } from './figures.js';
import { loadPlugins } from './load-plugins.js';
import { NO_ARTICLES, siteOfPlugins } from './surroundings.js';

// For the command, which knows the app alone.
export type { PluginReport } from '../../host/admin/plugin-report.js';

/**
 * Loads the plugins of a site and says what they have, with what the last receiver has measured.
 *
 * @throws PressmarkError PLUGIN_INVALID if one cannot be set up.
 */
export async function listPlugins(settings: Settings): Promise<PluginReport[]> {
  const { stateDir } = foldersOf(settings);
  const log = createLog({ level: 'silent', terminal: false });
  const around = {
    ...siteOfPlugins(settings),
    environment: readEnvironment(settings),
    log,
    articles: NO_ARTICLES,
  };
  const plugins = await loadPlugins(settings.dir, settings.plugins);
  const receiver = await startHost(plugins, { ...around, face: 'receiver' });
  await receiver.close();
  const pages = await startHost(plugins, { ...around, face: 'pages' });
  await pages.close();
  const { hooks, jobs, routes } = receiver.report();
  const figures = readFigures(stateDir, 'receiver');
  return reportsOf(
    plugins,
    {
      hooks: withFigures(hooks, figures.hooks),
      jobs: jobs.map((job) => figures.jobs.find((one) => one.job === job.job) ?? job),
      routes,
    },
    withPageFigures(pagesReport(pages), stateDir),
    readOpenJobs(stateDir),
  );
}

/** What the plugins of a host have where pages are made. */
export function pagesReport(host: Host): PagesReport {
  return {
    hooks: host.report().hooks,
    outputs: host.outputs.map(({ plugin, output: { path } }) => ({ plugin, path })),
  };
}

/** The same with what was measured where pages were made last. */
export function withPageFigures(pages: PagesReport, stateDir: string): PagesReport {
  return { ...pages, hooks: withFigures(pages.hooks, readFigures(stateDir, 'pages').hooks) };
}
