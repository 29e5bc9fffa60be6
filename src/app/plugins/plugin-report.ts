import fs from 'node:fs';
import { join } from 'node:path';
import { readEnvironment, type Settings } from '../../config/load.js';
import { messageOf, systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import {
  type PagesReport,
  type PluginReport,
  type ReceiverReport,
  reportsOf,
} from '../../host/admin/plugin-report.js';
import type { HookReport } from '../../host/hooks/hooks.js';
import { type Host, startHost } from '../../host/host.js';
import { readOpenJobs } from '../../host/jobs/open-jobs.js';
import type { PluginEntry } from '../../host/plugin.js';
import { createLog, type Log } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { loadPlugins } from './load-plugins.js';
import { NO_ARTICLES, siteOfPlugins } from './surroundings.js';

// For the command, which knows the app alone.
export type { PluginReport } from '../../host/admin/plugin-report.js';

/** What a receiver notes of its plugins. */
type Measured = Pick<ReceiverReport, 'hooks' | 'jobs'>;

const NAME = 'plugins.json';
const NOTE_EVERY_MS = 5_000;

/**
 * Notes how the site's own plugins do, for `pressmark plugins`. It is a hint for people.
 *
 * @param plugins all of the receiver.
 * @returns a function that notes it for the last time.
 */
export function notePlugins(
  stateDir: string,
  host: Host,
  plugins: readonly PluginEntry[],
  log: Log,
): () => Promise<void> {
  const own = new Set(plugins.filter((one) => one.isFirstParty !== true).map(({ plugin }) => plugin.name));
  if (own.size === 0) return async () => undefined;
  let noted = '';
  const note = async () => {
    const { hooks, jobs } = host.report();
    const measured: Measured = { hooks: hooks.filter(({ plugin }) => own.has(plugin)), jobs };
    const text = JSON.stringify(measured);
    if (text === noted) return;
    noted = text;
    try {
      await writeAtomically(join(stateDir, NAME), text);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`);
    }
  };
  const timer = setInterval(() => void note(), NOTE_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await note();
  };
}

function readMeasured(stateDir: string): Measured {
  try {
    return JSON.parse(fs.readFileSync(join(stateDir, NAME), 'utf8')) as Measured;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { hooks: [], jobs: [] };
    throw error;
  }
}

/**
 * Loads the plugins of a site and says what they have, with what the last receiver has measured.
 *
 * @throws PressmarkError PLUGIN_INVALID if one cannot be set up.
 */
export async function pluginReports(settings: Settings): Promise<PluginReport[]> {
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
  const measured = readMeasured(stateDir);
  return reportsOf(
    plugins,
    {
      hooks: hooks.map((hook) => measured.hooks.find((one) => isSameHook(one, hook)) ?? hook),
      jobs: jobs.map((job) => measured.jobs.find((one) => one.job === job.job) ?? job),
      routes,
    },
    pagesReport(pages),
    readOpenJobs(stateDir),
  );
}

function isSameHook(one: HookReport, other: HookReport): boolean {
  return one.plugin === other.plugin && one.kind === other.kind && one.name === other.name;
}

/** What the plugins of a host have where pages are made. */
export function pagesReport(host: Host): PagesReport {
  return {
    hooks: host.report().hooks,
    outputs: host.outputs.map(({ plugin, output: { path } }) => ({ plugin, path })),
  };
}
