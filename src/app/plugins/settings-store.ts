import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { SECRET_NAME } from '../../child-environment.js';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { readKeptOptions, SETTINGS_FILE, withKeptOptions } from '../../config/settings-file.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { takeKernelLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { PluginSettings, SavedSettings, SettingsAuthor } from '../../host/admin/plugins-service.js';
import { fieldsOfOptions, type OptionFault } from '../../host/admin/settings-form.js';
import type { PluginEntry } from '../../host/plugin.js';
import { asPlugin } from '../../host/plugin-code.js';
import { checkOptions } from '../../host/setup/plugin-settings.js';
import { SHORTEST_HIDDEN, withoutHidden } from '../../log.js';
import { within } from '../../time-limit.js';
import { foldersOf } from '../content/folders.js';
import { commitFile } from './commit-file.js';

type Options = Readonly<Record<string, unknown>>;

/** How long to wait for another receiver that writes settings, in milliseconds. */
const LOCK_MS = 5_000;

/** How long the schema of a plugin may take, in milliseconds. */
const LONGEST_CHECK_MS = 5_000;

/**
 * The settings of the site's own plugins, from their schemas, the config and the settings file. Every write of that file is
 * checked, by compare-and-set, atomic, and committed with its author.
 *
 * @param plugins the plugins that were loaded at the start.
 */
export function openSettingsStore(settings: Settings, plugins: readonly PluginEntry[]) {
  const { dir } = settings;
  const entryOf = (name: string) =>
    plugins.find(({ plugin }) => plugin.name === name && plugin.options !== undefined);

  async function read(name: string): Promise<PluginSettings | undefined> {
    const entry = entryOf(name);
    return entry && describe(entry, keptOf(readKeptOptions(dir), name));
  }

  async function save(
    name: string,
    values: Options,
    base: string,
    { name: author, email = '' }: SettingsAuthor,
  ): Promise<SavedSettings> {
    const entry = entryOf(name);
    if (entry === undefined)
      throw new PressmarkError('USAGE', `there is no plugin ${quote(name)} that takes options`);
    const faults = [...secretsIn(values), ...(await faultsOf(entry, values))];
    if (faults.length > 0) return { kind: 'wrong', faults };
    const conflict = await underSettingsLock(settings, async () => {
      const all = readKeptOptions(dir);
      const kept = keptOf(all, name);
      const now = describe(entry, kept);
      if (now.base !== base) return now;
      const others = Object.entries(all).filter(([other]) => other !== name);
      const ours = Object.keys(values).length === 0 ? [] : [[name, values] as const];
      const file = { plugins: Object.fromEntries([...others, ...ours].sort(([a], [b]) => (a < b ? -1 : 1))) };
      await writeAtomically(join(dir, SETTINGS_FILE), `${JSON.stringify(file, null, 2)}\n`);
      return undefined;
    });
    if (conflict !== undefined) return { kind: 'conflict', now: conflict };
    const message = `${subjectOf(name)}\n`;
    return {
      kind: 'saved',
      commit: await commitFile(settings, SETTINGS_FILE, message, { name: author, email }),
    };
  }

  /** Finds secrets in the values: the file is public, and secrets of plugins and of Pressmark must not be in it. */
  function secretsIn(values: Options): OptionFault[] {
    const names = new Set(plugins.flatMap(({ plugin }) => plugin.secrets ?? []));
    const secrets = Object.entries(readEnvironment(settings)).filter(
      ([name, value = '']) => (names.has(name) || SECRET_NAME.test(name)) && value.length >= SHORTEST_HIDDEN,
    );
    return Object.entries(values).flatMap(([path, value]) => {
      const text = JSON.stringify(value) ?? '';
      return secrets
        .filter(([, secret]) => text.includes(JSON.stringify(secret).slice(1, -1)))
        .map(([name]) => ({ path, text: `it holds the value of ${name}, a secret; leave it in .env` }));
    });
  }

  return { read, save };
}

function describe(entry: PluginEntry, kept: Options): PluginSettings {
  const { plugin } = entry;
  const given = configuredOf(entry);
  // If the config's options are not an object, nothing can be added.
  const configured = asOptions(given);
  const atStart = asOptions(entry.options);
  const fields =
    given !== undefined && configured === undefined ? undefined : fieldsOfOptions(plugin.options);
  return {
    plugin: plugin.name,
    fields,
    configured: Object.fromEntries(
      Object.entries(configured ?? {}).map(([key, value]) => [key, textOf(value)]),
    ),
    kept,
    text: textOf({ ...configured, ...kept }),
    base: digestOf([kept, fields?.map(({ key }) => key)]),
    needsRestart:
      digestOf(kept) !==
      digestOf(
        Object.fromEntries(
          Object.entries(atStart ?? {}).filter(([key]) => !Object.hasOwn(configured ?? {}, key)),
        ),
      ),
  };
}

/** The errors of the values, together with the options of the config, by the plugin's schema. */
async function faultsOf(entry: PluginEntry, values: Options): Promise<readonly OptionFault[]> {
  try {
    const options = withKeptOptions(`plugin ${entry.plugin.name}`, configuredOf(entry), values);
    const checked = await within(
      LONGEST_CHECK_MS,
      asPlugin(entry.plugin.name, () => checkOptions(entry.plugin, options)),
      () => {
        throw new Error(`the schema has not answered within ${LONGEST_CHECK_MS / 1_000} s`);
      },
    );
    return checked.kind === 'fine' ? [] : checked.faults;
  } catch (error) {
    return [{ path: '', text: messageOf(error) }];
  }
}

/** Runs a change of `.env` or the settings file under a lock, as other receivers may change them too. */
export async function underSettingsLock<T>(settings: Settings, run: () => Promise<T>): Promise<T> {
  const path = join(foldersOf(settings).stateDir, 'settings.lock');
  const lock = await takeKernelLock(path, findLockHelper(), LOCK_MS);
  try {
    return await run();
  } finally {
    fs.closeSync(lock);
  }
}

/** The subject of the commit of a plugin's settings. */
export function subjectOf(plugin: string): string {
  return `Settings: ${plugin}`;
}

function configuredOf(entry: PluginEntry): unknown {
  return 'configured' in entry ? entry.configured : entry.options;
}

/** A value for people, without known secrets. The config may hold values that JSON cannot. */
function textOf(value: unknown): string {
  try {
    return withoutHidden(JSON.stringify(value, null, 2) ?? String(value));
  } catch {
    return '…';
  }
}

function keptOf(all: Readonly<Record<string, Options>>, name: string): Options {
  return Object.hasOwn(all, name) ? (all[name] ?? {}) : {};
}

function asOptions(value: unknown): Options | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Options)
    : undefined;
}

function digestOf(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex');
}
