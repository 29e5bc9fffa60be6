import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../../config/load.js';
import { didYouMean, messageOf, PressmarkError, quote } from '../../errors.js';
import { BUILT_IN, themeFilesIn } from '../../site/render/theme-files.js';
import { foldersOf } from '../content/folders.js';

/** A theme of the config, with those that it stands on. */
export interface SiteTheme {
  /** The folders with their templates, parents first. */
  readonly dirs: readonly string[];
  /** The theme's settings as the config has them, and else their defaults. */
  readonly settings: Readonly<Record<string, ThemeValue>>;
}

type ThemeValue = string | number | boolean;

/** What `theme.json` says of one setting. */
const setting = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), default: z.string(), enum: z.array(z.string()).optional() }),
  z.strictObject({
    type: z.literal('number'),
    default: z.number(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('boolean'), default: z.boolean() }),
]);

const manifestSchema = z.strictObject({
  parent: z.string().min(1).optional(),
  settings: z.record(z.string(), setting).default({}),
});

type Manifest = z.infer<typeof manifestSchema>;

/**
 * The theme that the config names: a package, or a folder below the site's; without one the built-in theme alone.
 *
 * @throws PressmarkError CONFIG_INVALID where it is not there, or a setting is not one of the theme's.
 */
export function themeOf({ dir, site }: Pick<Settings, 'dir' | 'site'>): SiteTheme {
  const configured = site === false ? undefined : site.theme;
  if (configured === undefined) return { dirs: [], settings: {} };
  const [name, given] = typeof configured === 'string' ? [configured, {}] : configured;
  const dirs: string[] = [];
  let schema: Manifest['settings'] = {};
  let next: string | undefined = locate(dir, name);
  while (next !== undefined) {
    const templates = join(next, 'templates');
    if (dirs.includes(templates)) throw invalid(`theme ${quote(name)} stands on itself`);
    dirs.unshift(templates);
    const { parent, settings } = readManifest(next);
    schema = { ...settings, ...schema };
    next = parent === undefined ? undefined : locate(next, parent);
  }
  return { dirs, settings: settingsOf(name, schema, given) };
}

function settingsOf(
  theme: string,
  schema: Manifest['settings'],
  given: Readonly<Record<string, unknown>>,
): Record<string, ThemeValue> {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(schema, key));
  if (unknown !== undefined)
    throw invalid(
      `theme ${quote(theme)} has no setting ${quote(unknown)}${didYouMean(unknown, Object.keys(schema))}`,
    );
  return Object.fromEntries(
    Object.entries(schema).map(([key, known]) => [key, settingValue(theme, key, known, given[key])]),
  );
}

function settingValue(
  theme: string,
  key: string,
  known: z.infer<typeof setting>,
  value: unknown,
): ThemeValue {
  if (value === undefined) return known.default;
  const wrong = (must: string) => invalid(`theme ${quote(theme)}: its setting ${quote(key)} must be ${must}`);
  if (known.type === 'boolean') {
    if (typeof value === 'boolean') return value;
    throw wrong('true or false');
  }
  if (known.type === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = known;
    if (typeof value === 'number' && value >= minimum && value <= maximum) return value;
    throw wrong(
      `a number${known.minimum === undefined ? '' : ` from ${minimum}`}${known.maximum === undefined ? '' : ` to ${maximum}`}`,
    );
  }
  if (typeof value === 'string' && known.enum?.includes(value) !== false) return value;
  throw wrong(known.enum === undefined ? 'a text' : `one of ${known.enum.join(', ')}`);
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'theme.json');
  if (!fs.existsSync(path)) return { settings: {} };
  try {
    return manifestSchema.parse(JSON.parse(fs.readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw invalid(`theme.json of ${quote(folder)} is wrong: ${reason}`);
  }
}

/** The folder of a theme: a path as seen from `from`, or a package that is installed there. */
function locate(from: string, name: string): string {
  const isPath = /^\.{0,2}[\\/]/.test(name);
  const found = isPath ? resolve(from, name) : packageFolder(from, name);
  if (found !== undefined && fs.existsSync(join(found, 'templates'))) return found;
  if (isPath) throw invalid(`theme ${quote(name)} has no folder templates/`);
  throw invalid(
    `theme ${quote(name)} is not installed; run npm install ${name}, or name a folder: "./${name}"`,
  );
}

function packageFolder(from: string, name: string): string | undefined {
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => fs.existsSync(join(path, 'package.json')));
}

function invalid(message: string): PressmarkError {
  return new PressmarkError('CONFIG_INVALID', message);
}

/** The files that a site may have in place of those of its theme. */
export function ejectableFiles(settings: Settings): string[] {
  return [...sourcesOf(settings).keys()].sort();
}

/**
 * Copies a file of the theme into the site's own templates, as a starting point.
 *
 * @returns its path as seen from the site's folder.
 * @throws PressmarkError USAGE where the theme has no such file, or the site has it already.
 */
export function ejectFile(settings: Settings, name: string): string {
  const sources = sourcesOf(settings);
  const source = sources.get(name);
  if (source === undefined)
    throw new PressmarkError(
      'USAGE',
      `the theme has no file ${quote(name)}${didYouMean(name, [...sources.keys()])}`,
    );
  const target = join(foldersOf(settings).templatesDir, name);
  if (fs.existsSync(target))
    throw new PressmarkError('USAGE', `${settings.templates}/${name} is there already; remove it first`);
  fs.mkdirSync(dirname(target), { recursive: true });
  fs.copyFileSync(source, target, fs.constants.COPYFILE_EXCL);
  return `${settings.templates}/${name}`;
}

/** Where the theme's files are, by their names; the site's own are not among them. */
function sourcesOf(settings: Settings): ReadonlyMap<string, string> {
  const folders = [BUILT_IN, ...themeOf(settings).dirs];
  return new Map(folders.flatMap((folder) => themeFilesIn(folder).map((name) => [name, join(folder, name)])));
}
