import { parseArgs } from 'node:util';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { didYouMean, messageOf, PressmarkError, quote } from '../../errors.js';
import { pluginFolder } from '../../host/host.js';
import type { PluginCommand, PluginEntry } from '../../host/plugin.js';
import { asPlugin } from '../../host/plugin-code.js';
import { inOrder } from '../../host/setup/manifests.js';
import { parsedOptions, secretsOf } from '../../host/setup/plugin-settings.js';
import { openStorage } from '../../host/storage.js';
import { type Log, REDACTION } from '../../log.js';
import { foldersOf } from '../content/folders.js';
import { siteOfPlugins } from './host-context.js';
import { loadPlugins } from './load-plugins.js';

/** A command of a plugin of the site. */
export interface FoundCommand {
  readonly command: PluginCommand;
  /**
   * Runs the command. @returns its result.
   *
   * @throws PressmarkError USAGE if the arguments are invalid; PLUGIN_INVALID if a secret is missing; what the command throws.
   */
  run(words: readonly string[], log: Log): Promise<unknown>;
}

/** The command of a plugin. @param name such as `announce:retry`. @throws PressmarkError USAGE if there is none. */
export async function findCommand(settings: Settings, name: string): Promise<FoundCommand> {
  const entries = inOrder(await loadPlugins(settings.dir, settings.plugins));
  const commands = new Map(
    entries.flatMap((entry) =>
      (entry.plugin.commands ?? []).map((command) => [
        `${entry.plugin.name}:${command.name}`,
        { entry, command },
      ]),
    ),
  );
  const found = commands.get(name);
  if (found === undefined) {
    const hint = didYouMean(name, [...commands.keys()]);
    throw new PressmarkError(
      'USAGE',
      `no plugin has the command ${quote(name)}${hint === '' ? '; pressmark plugins lists them' : hint}`,
    );
  }
  const { entry, command } = found;
  return { command, run: (words, log) => runCommand(settings, entry, command, words, log) };
}

async function runCommand(
  settings: Settings,
  entry: PluginEntry,
  { name, options = {}, run }: PluginCommand,
  words: readonly string[],
  log: Log,
): Promise<unknown> {
  const { plugin, origin } = entry;
  const { args, values } = parsed(`${plugin.name}:${name}`, words, options);
  const { stateDir } = foldersOf(settings);
  const { site, paths } = siteOfPlugins(settings);
  const host = {
    options: await parsedOptions(entry),
    secrets: secretsOf(plugin, origin, readEnvironment(settings)),
    storage: openStorage(plugin.name, pluginFolder(stateDir, plugin.name)),
    log: log.child({ plugin: plugin.name }, { redact: REDACTION }),
    site,
    paths,
  };
  return asPlugin(plugin.name, async () => run(host, { args, values }));
}

function parsed(name: string, words: readonly string[], options: NonNullable<PluginCommand['options']>) {
  try {
    const { positionals, values } = parseArgs({ args: [...words], options, allowPositionals: true });
    return { args: positionals, values: { ...values } };
  } catch (error) {
    throw new PressmarkError('USAGE', `${name}: ${messageOf(error)}`, { cause: error });
  }
}
