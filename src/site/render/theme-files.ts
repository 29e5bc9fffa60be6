import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix, sep } from 'node:path';
import { isFileAt } from '../../fs/file-at.js';
import { entriesBelow } from '../../fs/files-below.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import { PACKAGE_FOLDER } from '../../own-package.js';

/** What of a theme's folder makes pages; everything else in it is its author's business. */
const SOURCE = /(?:\.eta|^style\.css|^custom\.css|^favicon\.svg|^words\/[^/]+\.json)$/;

/** The folder whose files go to the site as they are. */
const ASSETS = 'assets/';

/** The folder whose files go to the top of the site, such as `favicon.ico`. */
const ROOT = 'root/';

/** The texts that pages are made of, by their names below the theme's folder. */
export type ThemeSources = ReadonlyMap<string, string>;

/** The folder of the theme that comes with Pressmark. */
export const BUILT_IN = join(PACKAGE_FOLDER, 'templates/');

/** The names of the files in a theme's folder, which need not exist, that pages are made of. */
function themeFilesIn(folder: string): string[] {
  return filesIn(folder).filter((name) => SOURCE.test(name));
}

/** A folder as what it holds; one without a kind is that of a whole theme. */
export function themeFolderOf(folder: string | ThemeFolder): ThemeFolder {
  return typeof folder === 'string' ? { kind: 'theme', dir: folder } : folder;
}

/** The texts of a theme in this folder, which need not exist. */
export function sourcesIn(folder: string | ThemeFolder): ThemeSources {
  const { kind, dir } = themeFolderOf(folder);
  if (kind === 'assets') return new Map();
  const read = (name: string) => fs.readFileSync(join(dir, name), 'utf8');
  if (kind === 'theme') return new Map(themeFilesIn(dir).map((name) => [name, read(name)]));
  const words = filesIn(dir).filter((name) => /^[^/]+\.json$/.test(name));
  return new Map(words.map((name) => [`words/${name}`, read(name)]));
}

/**
 * The files in a theme's `assets/`, by their names below the output folder, and by such names with a hash of their content.
 */
export function assetsIn({ kind, dir }: ThemeFolder) {
  if (kind === 'words') return [];
  const folder = kind === 'theme' ? join(dir, ASSETS) : dir;
  return publicFilesIn(folder).map((name) => {
    const path = join(folder, name);
    const file = ASSETS + name;
    const read = () => fs.readFileSync(path);
    return { file, hashedFile: withHash(file, hash('sha256', read())), read };
  });
}

/** The files in a theme's `root/`, by their names at the top of the site. */
export function rootFilesIn({ kind, dir: folder }: ThemeFolder): [name: string, read: () => Uint8Array][] {
  if (kind !== 'theme') return [];
  return publicFilesIn(join(folder, ROOT)).map((name) => [
    name,
    () => fs.readFileSync(join(folder, ROOT, name)),
  ]);
}

/** A file's name with a hash of its content before the type. */
export function withHash(file: string, contentHash: string): string {
  const { dir, name, ext } = posix.parse(file);
  return posix.join(dir, `${name}.${contentHash.slice(0, 8)}${ext}`);
}

/** Which files of the output have such a name. */
export const HASHED = /^assets\/.*\.[0-9a-f]{8}\.\w+$/;

/**
 * The files below a folder that go to the site as they are. A symbolic link out of the folder is left out: what it leads to,
 * such as `.env`, is not for the public. So are dot files, which editors and systems leave behind, but for `.well-known/`.
 *
 * @param onSkipped called with each link that is left out.
 */
export function publicFilesIn(folder: string, onSkipped: (link: string) => void = () => undefined): string[] {
  const files = filesIn(folder).filter((name) => !/(?:^|\/)\./.test(name.replace(/^\.well-known\//, '')));
  if (files.length === 0) return files;
  const top = fs.realpathSync(folder) + sep;
  return files.filter((name) => {
    const isBelow = fs.realpathSync(join(folder, name)).startsWith(top);
    if (!isBelow) onSkipped(name);
    return isBelow;
  });
}

/** The files below a folder, which need not exist, in an order that is the same on every machine. */
function filesIn(folder: string): string[] {
  return [...entriesBelow(folder)]
    .filter(([name, entry]) => entry.isFile() || isFileAt(join(folder, name)))
    .map(([name]) => name);
}
