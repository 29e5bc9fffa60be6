import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isGone } from '../../store/entry.js';

/** The built-in theme; from dist/src/site/render/ it is four folders up, in the package's root. */
const BUILT_IN = fileURLToPath(new URL('../../../../templates/', import.meta.url));

/** What of a theme's folder makes pages; everything else in it is its author's business. */
const SOURCE = /(?:\.eta|^style\.css|^custom\.css|^favicon\.svg|^words\/[^/]+\.json)$/;

/** The folder whose files go to the site as they are. */
const ASSETS = 'assets/';

/** The texts that pages are made of, by their names below the theme's folder. */
export type ThemeSources = ReadonlyMap<string, string>;

/** A file of the site's own theme that goes to the site as it is. */
export interface Asset {
  /** Below the output folder. */
  readonly file: string;
  read(): Uint8Array;
}

/** The texts of the theme that comes with Pressmark. */
export function builtInSources(): ThemeSources {
  return sourcesIn(BUILT_IN);
}

/** The texts of a theme in this folder, which need not exist. */
export function sourcesIn(folder: string): ThemeSources {
  const names = filesIn(folder).filter((name) => SOURCE.test(name));
  return new Map(names.map((name) => [name, fs.readFileSync(join(folder, name), 'utf8')]));
}

/** The files in the theme's `assets/`; dot files are what editors and systems leave behind. */
export function assetsIn(ownDir: string): Asset[] {
  return filesIn(join(ownDir, ASSETS))
    .filter((name) => !/(?:^|\/)\./.test(name))
    .map((name) => ({ file: ASSETS + name, read: () => fs.readFileSync(join(ownDir, ASSETS, name)) }));
}

/** The files below a folder, which need not exist, in an order that is the same on every machine. */
function filesIn(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => fs.statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'),
      )
      .sort();
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
