import type { Settings } from '../../config/load.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { type PagesReport, reportsOf } from '../../host/admin/plugin-report.js';
import type { PluginsService } from '../../host/admin/plugins-service.js';
import type { Host } from '../../host/host.js';
import type { Jobs } from '../../host/jobs/jobs.js';
import { readOpenJobs } from '../../host/jobs/notes.js';
import type { PluginEntry } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { withPageFigures } from './list-plugins.js';
import { openSettingsStore, subjectOf } from './settings-store.js';

export interface PluginsServiceOptions {
  readonly settings: Settings;
  /** The site's own plugins. */
  readonly plugins: readonly PluginEntry[];
  readonly pages: PagesReport;
  readonly jobs: Pick<Jobs, 'runAgain'>;
  /** The host that they run in. */
  readonly host: Host;
  readonly log: Log;
}

/** What the admin knows of the plugins of a running receiver. */
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
      // It is pushed like any other.
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
