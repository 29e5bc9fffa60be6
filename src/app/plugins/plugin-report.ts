import fs from 'node:fs';
import { join } from 'node:path';
import { readEnvironment, type Settings } from '../../config/load.js';
import { messageOf, systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { HookReport } from '../../host/hooks.js';
import { type Host, startHost } from '../../host/host.js';
import type { JobReport } from '../../host/jobs/jobs.js';
import { type OpenJob, readOpenJobs } from '../../host/jobs/open-jobs.js';
import type { PluginEntry } from '../../host/plugin.js';
import { createLog, type Log } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { loadPlugins } from './load-plugins.js';
import { NO_ARTICLES, siteOfPlugins } from './surroundings.js';

/** What a plugin of the site has, and how that went since the last receiver started. */
export interface PluginReport {
  readonly name: string;
  readonly version: string | null;
  /** Where it comes from. */
  readonly origin: string;
  readonly hooks: readonly Omit<HookReport, 'plugin'>[];
  readonly jobs: readonly (Omit<JobReport, 'plugin'> & { readonly open: readonly OpenJob[] })[];
  /** Such as `GET /-/announce/list`. */
  readonly routes: readonly string[];
  /** The files that it adds to the site. */
  readonly outputs: readonly string[];
}

/** What a receiver notes of its plugins. */
type Measured = Pick<ReturnType<Host['report']>, 'hooks' | 'jobs'>;

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
 * @throws PressmarkError PLUGIN_INVALID where one cannot be set up.
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
  const open = readOpenJobs(stateDir);
  return plugins.map(({ plugin: { name, version = null }, origin }) => {
    const theirs = <T extends { readonly plugin: string }>(all: readonly T[]) =>
      all.filter(({ plugin }) => plugin === name);
    return {
      name,
      version,
      origin,
      hooks: theirs([...hooks, ...pages.report().hooks]).map(
        ({ plugin: _, ...hook }) =>
          theirs(measured.hooks).find((one) => one.kind === hook.kind && one.name === hook.name) ?? hook,
      ),
      jobs: theirs(jobs).map(({ plugin: _, ...job }) => ({
        ...(theirs(measured.jobs).find((one) => one.job === job.job) ?? job),
        open: open.filter((one) => one.job === job.job),
      })),
      routes: theirs(routes).map(({ route }) => route),
      outputs: pages.outputs.filter(({ plugin }) => plugin === name).map(({ output }) => output.path),
    };
  });
}
