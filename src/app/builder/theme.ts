import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import { foldersOf } from '../content/folders.js';

/**
 * The template folders over the built-in theme: the theme's, those of plugins, and the site's own.
 *
 * @throws PressmarkError CONFIG_INVALID as `themeFolder`.
 */
export function themeFolders(
  settings: Parameters<typeof foldersOf>[0] & Pick<Settings, 'site'>,
  ofPlugins: readonly ThemeFolder[],
): ThemeFolder[] {
  const wholeThemeIn = (dir: string | undefined): ThemeFolder[] =>
    dir === undefined ? [] : [{ kind: 'theme', dir }];
  const own = wholeThemeIn(foldersOf(settings).templatesDir);
  return [...wholeThemeIn(themeFolder(settings)), ...ofPlugins, ...own];
}

/**
 * The template folder of the theme in the config: a package, or a folder of the site.
 *
 * @returns undefined for the built-in theme.
 * @throws PressmarkError CONFIG_INVALID if it does not exist.
 */
export function themeFolder({ dir, site }: Pick<Settings, 'dir' | 'site'>): string | undefined {
  const name = site === false ? undefined : site.theme;
  if (name === undefined) return undefined;
  const isPath = /^\.{0,2}[\\/]/.test(name);
  const folder = isPath ? resolve(dir, name) : packageFolder(dir, name);
  const templates = folder && join(folder, 'templates');
  if (templates !== undefined && fs.existsSync(templates)) return templates;
  throw new PressmarkError(
    'CONFIG_INVALID',
    isPath
      ? `theme ${quote(name)} has no folder templates/`
      : `theme ${quote(name)} is not installed; run npm install ${name}, or name a folder: "./${name}"`,
  );
}

function packageFolder(dir: string, name: string): string | undefined {
  const folders = createRequire(join(dir, 'package.json')).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => fs.existsSync(join(path, 'package.json')));
}
