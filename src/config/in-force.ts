import { shown } from './describe.js';
import { isObject } from './settings-file.js';

/** The source of a setting. */
export type SettingSource = 'default' | 'config' | 'environment' | 'command line';

/** A setting's value and source. */
export interface SettingInForce {
  /** Such as `site.title`. */
  readonly name: string;
  /** As JSON, shortened; for a URL only the origin. */
  readonly value: string;
  readonly from: SettingSource;
}

/** The settings of each source. */
export interface GivenSettings {
  readonly file: object;
  /** The settings of `.env` and the environment. */
  readonly environment: object;
  readonly flags: object;
}

/** All settings in order, with their sources. Options of plugins are not included. */
export function settingsInForce(settings: object, given: GivenSettings): SettingInForce[] {
  const { plugins: _, ...others }: { readonly plugins?: unknown } = settings;
  return Object.entries(others).flatMap(([key, value]) => leaves([key], value, given));
}

function leaves(path: readonly string[], value: unknown, given: GivenSettings): SettingInForce[] {
  if (value === undefined) return [];
  if (isObject(value) && !Object.values(value).some((inner) => typeof inner === 'function'))
    return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner, given));
  return [{ name: path.join('.'), value: shown(value), from: sourceOf(path, given) }];
}

function sourceOf(path: readonly string[], { file, environment, flags }: GivenSettings): SettingSource {
  const [first = ''] = path;
  if (first in flags) return 'command line';
  if (first in environment) return 'environment';
  let at: unknown = file;
  for (const key of path) {
    // A setting may have a short form: `git: true` also sets `git.author`.
    if (!isObject(at)) return 'config';
    if (!Object.hasOwn(at, key)) return 'default';
    at = at[key];
  }
  return 'config';
}
