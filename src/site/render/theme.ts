import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix, sep } from 'node:path';
import { entriesBelow, isFileAt } from '../../fs/files-below.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import { type Translate, translations } from './i18n.js';

/** The files of a theme's folder that pages are made from; others are ignored. */
const SOURCE = /(?:\.eta|^style\.css|^custom\.css|^favicon\.svg|^words\/[^/]+\.json)$/;

/** The folder of the theme that comes with Pressmark. */
export const BUILT_IN = join(PACKAGE_FOLDER, 'templates/');

/** The output files with a hash of their content in their name. */
export const HASHED = /^assets\/.*\.[0-9a-f]{8}\.\w+$/;

/** The texts that pages are made from, by their names below the theme's folder. */
export type ThemeSources = ReadonlyMap<string, string>;

/** The theme of a site: the built-in theme, in which files of other themes and of the site replace files with the same name. */
export interface Theme {
  /** The templates, words and style sheets. */
  readonly sources: ThemeSources;
  /** The style sheet, the files in `assets/`, and the files for the top of the site, by their names below the output folder. */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
  /** The files with a hash of their content in their name, which browsers may cache forever. */
  readonly hashedFiles: readonly string[];
  /** The Content-Security-Policy of its pages. */
  readonly policy: string;
  readonly t: Translate;
  /** A hash of everything that pages are made from; if it changes, all pages may change. */
  readonly hash: string;
  /**
   * Returns the file below the output folder for `style.css` or a file in `assets/`, with a hash in its name.
   *
   * @throws Error if there is no such file.
   */
  hashed(name: string): string;
}

/**
 * Reads the theme.
 *
 * @param folders the folders of themes and, last, the site's own templates: a file replaces files with the same name in earlier
 *   folders and in the built-in theme. The folders need not exist.
 */
export function loadTheme(folders: readonly ThemeFolder[], site: SiteInfo): Theme {
  const layers = themeLayers(folders);
  const assets = new Map(folders.flatMap(assetsIn).map((asset) => [asset.file, asset]));
  const styleSheet = styleSheetOf(layers, site);
  const rootFiles = folders.flatMap(rootFilesIn);
  const hashedFiles = [styleSheet.file, ...[...assets.values()].map(({ hashedFile }) => hashedFile)];
  return {
    sources: new Map(layers.flatMap((layer) => [...layer])),
    files: new Map<string, () => string | Uint8Array>([
      [styleSheet.file, () => styleSheet.text],
      ...[...assets.values()].flatMap(({ file, hashedFile, read }) =>
        [file, hashedFile].map((name) => [name, read] as const),
      ),
      ...rootFiles.map(({ file, read }) => [file, read] as const),
    ]),
    hashedFiles,
    policy: contentSecurityPolicy(layers),
    t: translations(layers, site),
    hash: hash('sha256', JSON.stringify([layers.map((layer) => [...layer]), hashedFiles, rootFiles])),
    hashed: (name) => {
      const file = name === 'style.css' ? styleSheet.file : assets.get(`assets/${name}`)?.hashedFile;
      if (file !== undefined) return file;
      throw new Error(`there is no asset ${name}; add it to templates/assets/`);
    },
  };
}

/** Joins the topmost `style.css`, and every `custom.css` from its layer on. */
function styleSheetOf(layers: readonly ThemeSources[], { accent }: SiteInfo) {
  const first = layers.findLastIndex((layer) => layer.has('style.css'));
  const text = [
    layers[first]?.get('style.css') ?? '',
    ...layers.slice(first).flatMap((layer) => layer.get('custom.css') ?? []),
    // Last, as an @import must come first; with `:where`, so that a style sheet's own colours take precedence.
    `/* Pressmark: the accent colour of the config */`,
    `:where(:root) { --accent-light: ${accent.light}; --accent-dark: ${accent.dark} }`,
    '',
  ].join('\n');
  return { file: withHash('assets/style.css', text), text };
}

/** Reads the texts of the built-in theme and of the themes in these folders, which need not exist. */
export function themeLayers(folders: readonly ThemeFolder[]): ThemeSources[] {
  return [{ kind: 'theme', dir: BUILT_IN } as const, ...folders].map(sourcesIn);
}

function sourcesIn({ kind, dir }: ThemeFolder): ThemeSources {
  if (kind === 'assets') return new Map();
  const isSource = (name: string) => (kind === 'theme' ? SOURCE.test(name) : /^[^/]+\.json$/.test(name));
  const prefix = kind === 'theme' ? '' : 'words/';
  const names = filesIn(dir).filter(isSource);
  return new Map(names.map((name) => [prefix + name, fs.readFileSync(join(dir, name), 'utf8')]));
}

/** Lists the files in a theme's `assets/`. */
function assetsIn({ kind, dir }: ThemeFolder) {
  return kind === 'words' ? [] : filesOfTheme(kind === 'theme' ? join(dir, 'assets/') : dir, 'assets/');
}

/** Lists the files in a theme's `root/`, for the top of the site. */
function rootFilesIn({ kind, dir }: ThemeFolder) {
  return kind === 'theme' ? filesOfTheme(join(dir, 'root/'), '') : [];
}

/** Lists the public files in a folder, with their names below the output folder, without and with a hash of their content. */
function filesOfTheme(folder: string, place: string) {
  return publicFilesIn(folder).map((name) => {
    const file = `${place}${name}`;
    const read = () => fs.readFileSync(join(folder, name));
    return { file, hashedFile: withHash(file, read()), read };
  });
}

/** Adds a hash of the content to a file's name, before the extension. */
function withHash(file: string, content: string | Uint8Array): string {
  const { dir, name, ext } = posix.parse(file);
  return posix.join(dir, `${name}.${hash('sha256', content).slice(0, 8)}${ext}`);
}

/**
 * Lists the files below a folder that may be copied to the site. Symbolic links that lead out of the folder are left out, as
 * the target may be secret, such as `.env`. Dot files are left out, too, except in `.well-known/`.
 *
 * @param onSkipped is called with each link that is left out.
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

/** Lists the files below a folder, which need not exist, in the same order on every machine. */
function filesIn(folder: string): string[] {
  return [...entriesBelow(folder)]
    .filter(([name, entry]) => entry.isFile() || isFileAt(join(folder, name)))
    .map(([name]) => name);
}
