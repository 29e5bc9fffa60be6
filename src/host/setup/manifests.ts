import { createRequire } from 'node:module';
import type semverLibrary from 'semver';
import { type PressmarkError, quote } from '../../errors.js';
import { PACKAGE_VERSION } from '../../own-package.js';
import { checkKeys, invalid, isName } from '../invalid.js';
import type { PluginCommand, PluginEntry } from '../plugin.js';

/** Loaded on demand: most plugins name no version. */
const semver = (): typeof semverLibrary => createRequire(import.meta.url)('semver');

/** The keys of a plugin. */
const KEYS = [
  'name',
  'version',
  'requires',
  'options',
  'secrets',
  'hooks',
  'receiver',
  'activate',
  'pages',
  'commands',
];

/**
 * Checks the manifests and sorts each plugin behind the plugins that it requires; otherwise the order stays.
 *
 * @throws PressmarkError PLUGIN_INVALID, naming the plugin and where it came from.
 */
export function inOrder(entries: readonly PluginEntry[]): PluginEntry[] {
  const byName = new Map<string, PluginEntry>();
  for (const entry of entries) {
    checkManifest(entry.plugin, entry.origin);
    const { name } = entry.plugin;
    const other = byName.get(name);
    if (other !== undefined)
      throw invalid(`two plugins are named ${quote(name)}: ${other.origin} and ${entry.origin}; remove one`);
    byName.set(name, entry);
  }
  const ordered = new Set<PluginEntry>();
  const visit = (entry: PluginEntry, path: readonly string[]): void => {
    const { name, requires = {} } = entry.plugin;
    if (ordered.has(entry)) return;
    if (path.includes(name))
      throw invalid(`plugins require each other in a circle: ${[...path, name].join(' -> ')}`);
    for (const [needed, range] of Object.entries(requires)) {
      const who = `plugin ${name} (${entry.origin}) requires ${quote(needed)}`;
      if (needed === 'pressmark') {
        if (!satisfies(PACKAGE_VERSION, range))
          throw invalid(`${who} ${range}, and this is ${PACKAGE_VERSION}`);
        continue;
      }
      const other = byName.get(needed);
      if (other === undefined) throw invalid(`${who}, which is not there; add it to plugins in the config`);
      const { version } = other.plugin;
      if (!satisfies(version, range))
        throw invalid(`${who} ${range}, and ${other.origin} is ${version ?? 'without a version'}`);
      visit(other, [...path, name]);
    }
    ordered.add(entry);
  };
  for (const entry of byName.values()) visit(entry, []);
  return [...ordered];
}

/** Whether a version satisfies a range. `*` accepts a plugin without a version too. */
function satisfies(version: string | undefined, range: string): boolean {
  return (
    range === '*' ||
    (version !== undefined && semver().satisfies(version, range, { includePrerelease: true }))
  );
}

/**
 * Checks that a value from a file or the config is a plugin.
 *
 * @param origin where it came from, for the error.
 * @throws PressmarkError PLUGIN_INVALID.
 */
function checkManifest(plugin: unknown, origin: string): void {
  const complain = (what: string) => invalid(`${origin} is not a plugin: ${what}`);
  if (typeof plugin !== 'object' || plugin === null) {
    const what =
      plugin === undefined || plugin === null
        ? 'it has no default export'
        : `its default export is a ${typeof plugin}`;
    throw complain(`${what}; export default definePlugin({ name, receiver, pages })`);
  }
  const {
    name,
    version,
    requires,
    options,
    secrets,
    hooks,
    receiver,
    activate,
    pages,
    commands = [],
  }: Readonly<Record<string, unknown>> = {
    ...plugin,
  };
  if (!isName(name))
    throw complain(`its name is ${quote(name)}; name it in lower-case letters, digits and hyphens`);
  checkKeys(plugin, KEYS, complain);
  for (const [face, value] of Object.entries({ receiver, activate, pages }))
    if (value !== undefined && typeof value !== 'function') throw complain(`its ${face} is not a function`);
  checkCommands(commands, complain);
  const { '~standard': schema }: { '~standard'?: { validate?: unknown } } = Object(options);
  if (options !== undefined && typeof schema?.validate !== 'function')
    throw complain('its options are no Standard Schema, such as an object of zod or valibot');
  if (receiver === undefined && pages === undefined && commands.length === 0)
    throw complain('it has neither receiver(host) nor pages(host) nor commands');
  if (version !== undefined && semver().valid(String(version)) === null)
    throw complain(`its version is ${quote(version)}; write it as in 1.0.0`);
  checkRanges(requires, complain);
  if (secrets !== undefined && !isListOfTexts(secrets))
    throw complain('its secrets are not a list of names of variables');
  if (hooks !== undefined) checkKeys(hooks, ['actions', 'filters'], (what) => complain(`its hooks: ${what}`));
  const { actions = [], filters = [] } = Object(hooks) as Readonly<Record<string, unknown>>;
  for (const names of [actions, filters]) {
    if (!isListOfTexts(names)) throw complain('its hooks are not { actions: […], filters: […] } with names');
    const foreign = names.find((hook) => !hook.startsWith(`${name}.`));
    if (foreign !== undefined)
      throw complain(`the name of its hook ${quote(foreign)} must begin with ${quote(`${name}.`)}`);
  }
}

function checkCommands(
  commands: unknown,
  complain: (what: string) => PressmarkError,
): asserts commands is readonly PluginCommand[] {
  if (!Array.isArray(commands)) throw complain('its commands are not a list');
  for (const command of commands) {
    const { name, description, run, options = {} }: Readonly<Record<string, unknown>> = Object(command);
    if (!isName(name))
      throw complain(
        `the name of its command ${quote(name)} must be of lower-case letters, digits and hyphens`,
      );
    if (commands.some((other) => other !== command && other?.name === name))
      throw complain(`it has two commands ${name}; rename one`);
    checkKeys(command, ['name', 'description', 'options', 'run'], (what) =>
      complain(`its command ${name}: ${what}`),
    );
    if (typeof description !== 'string' || typeof run !== 'function' || typeof options !== 'object')
      throw complain(
        `its command ${name} is not { name, description, options, run } with a text, an object and a function`,
      );
  }
}

function checkRanges(requires: unknown, complain: (what: string) => PressmarkError): void {
  if (requires === undefined) return;
  if (typeof requires !== 'object' || requires === null || Array.isArray(requires))
    throw complain('its requires is not an object of names and versions, such as { images: "^1.2" }');
  for (const [name, range] of Object.entries(requires))
    if (range !== '*' && (typeof range !== 'string' || semver().validRange(range) === null))
      throw complain(
        `it requires ${name} ${quote(range)}, which is not a range of versions; write "^1.2" or "*"`,
      );
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
