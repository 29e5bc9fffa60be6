import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { placeOf } from '../../config/config-file.js';
import { type KeptOptions, readKeptOptions, withKeptOptions } from '../../config/settings-file.js';
import { messageOf, PressmarkError, quote, systemCode } from '../../errors.js';
import { namesIn } from '../../fs/files-below.js';
import { READY_MS } from '../../host/host.js';
import type { Plugin, PluginEntry } from '../../host/plugin.js';
import { begunBy } from '../../host/plugin-code.js';
import { within } from '../../time-limit.js';

/** The files in `plugins/` that are loaded; TypeScript only if Node.js can strip types. */
const PLUGIN_FILE = /^[^._].*(?<!\.d)\.[cm]?[jt]s$/;

/**
 * Loads the site's own plugins: those in the config in order, then the files in `plugins/` by name. Options come from the
 * config and the settings file.
 *
 * @param dir the site's folder.
 * @param configured the config's `plugins`: a package name, a path, a plugin, or `[one of these, options]`.
 * @param limitMs how long each plugin may take to load. @default 30 s
 * @throws PressmarkError CONFIG_INVALID if one is not installed, or the settings file is wrong; PLUGIN_INVALID, naming the
 *   plugin that cannot be loaded.
 */
export async function loadPlugins(
  dir: string,
  configured: readonly unknown[],
  limitMs = READY_MS,
): Promise<PluginEntry[]> {
  const entries: PluginEntry[] = [];
  const kept = readKeptOptions(dir);
  for (const [index, item] of configured.entries()) {
    const [what, options] = Array.isArray(item) ? item : [item];
    const entry =
      typeof what === 'string'
        ? await importPlugin(locate(dir, what), what, limitMs)
        : { plugin: what as Plugin, origin: `plugins[${index}] of the config` };
    entries.push(withOptions({ ...entry, ...(options !== undefined && { options }) }, kept));
  }
  for (const name of namesIn(join(dir, 'plugins')).filter((file) => PLUGIN_FILE.test(file)))
    entries.push(
      withOptions(await importPlugin(join(dir, 'plugins', name), `plugins/${name}`, limitMs), kept),
    );
  return entries;
}

/** Adds a plugin's options from the settings file. */
function withOptions(entry: PluginEntry, kept: KeptOptions): PluginEntry {
  const name: unknown = entry.plugin?.name; // its manifest is checked by the host
  if (typeof name !== 'string' || !Object.hasOwn(kept, name)) return entry;
  const options = withKeptOptions(`plugin ${name} (${entry.origin})`, entry.options, kept[name]);
  return { ...entry, options, configured: entry.options };
}

async function importPlugin(file: string, origin: string, limitMs: number): Promise<PluginEntry> {
  const late = () => {
    throw new Error(`it was not loaded within ${limitMs / 1_000} s; its top-level await must resolve sooner`);
  };
  try {
    const module: { default?: unknown } = await within(
      limitMs,
      begunBy(origin, () => import(pathToFileURL(file).href)),
      late,
    );
    return { plugin: module.default as Plugin, origin, file }; // its manifest is checked by the host
  } catch (cause) {
    throw new PressmarkError(
      'PLUGIN_INVALID',
      `plugin ${quote(origin)} cannot be loaded: ${whyNot(cause)}${placeOf(cause, file)}`,
      {
        cause,
      },
    );
  }
}

/** Whether this Node.js runs TypeScript: 22.18 and newer do. */
export function runsTypeScript(): boolean {
  const features: { typescript?: string | false } = Object(process.features);
  return typeof features.typescript === 'string';
}

function whyNot(error: unknown): string {
  if (systemCode(error) === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `TypeScript needs Node.js 22.18 or newer, and this is ${process.version}; or compile it to JavaScript`;
  return messageOf(error).split('\n', 1)[0] ?? '';
}

/** The location of a plugin's module: a path below the site's folder, or a package in node_modules. */
function locate(dir: string, name: string): string {
  if (/^\.{0,2}[\\/]/.test(name)) return resolve(dir, name);
  const { resolve: resolvePackage } = createRequire(join(dir, 'package.json'));
  try {
    return resolvePackage(name);
  } catch (cause) {
    const folders = resolvePackage.paths(name) ?? [];
    const found =
      systemCode(cause) === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? importEntry(folders, name) : undefined;
    if (found !== undefined) return found;
    throw new PressmarkError(
      'CONFIG_INVALID',
      `plugin ${quote(name)} is not installed; run npm install ${name}, or name a file: "./${name}.js"`,
      { cause },
    );
  }
}

/** The entry of a package that exports only to `import`, which `require.resolve` cannot find. */
function importEntry(folders: readonly string[], name: string): string | undefined {
  // Not only the site's own node_modules: in a workspace, packages are in a parent folder.
  const root = folders
    .map((folder) => join(folder, name))
    .find((path) => fs.existsSync(join(path, 'package.json')));
  if (root === undefined) return undefined;
  const manifest: { exports?: unknown } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  let target = manifest.exports;
  for (const key of ['.', 'import', 'default']) {
    if (typeof target === 'object' && target !== null && key in target)
      target = (target as Record<string, unknown>)[key];
  }
  return typeof target === 'string' ? join(root, target) : undefined;
}
