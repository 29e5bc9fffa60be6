import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix, sep } from 'node:path';
import { isFileAt } from '../../fs/file-at.js';
import { entriesBelow } from '../../fs/files-below.js';
import type { ThemeFolder } from '../../host/pages/page-additions.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import { type Translate, translations } from './i18n.js';

/** What of a theme's folder makes pages; everything else in it is its author's business. */
const SOURCE = /(?:\.eta|^style\.css|^custom\.css|^favicon\.svg|^words\/[^/]+\.json)$/;

/** The folder of the theme that comes with Pressmark. */
export const BUILT_IN = join(PACKAGE_FOLDER, 'templates/');

/** Which files of the output have a hash of their content in their name. */
export const HASHED = /^assets\/.*\.[0-9a-f]{8}\.\w+$/;

/** The texts that pages are made of, by their names below the theme's folder. */
export type ThemeSources = ReadonlyMap<string, string>;

/** How a site looks: the built-in theme, and files of other themes and of the site in place of those of the same name. */
export interface Theme {
  /** The templates, words and style sheets. */
  readonly sources: ThemeSources;
  /** The style sheet, what is in `assets/`, and what goes to the top of the site, by their names below the output folder. */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
  /** Those of them whose names hold a hash of their content, so that browsers may keep them for ever. */
  readonly hashedFiles: readonly string[];
  /** The Content-Security-Policy of its pages. */
  readonly policy: string;
  readonly t: Translate;
  /** Of everything that pages are made of; another value means that all pages may look different. */
  readonly hash: string;
  /**
   * The file below the output folder in which `style.css`, or a file in `assets/`, stands under a name with a hash.
   *
   * @throws Error where there is no such file.
   */
  hashed(name: string): string;
}

/**
 * Reads the theme.
 *
 * @param folders those of themes and, last, the site's own templates: a file stands in place of those of the same name
 *   in the folders before it and in the built-in theme. The folders need not exist.
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

/** The topmost `style.css`, and every `custom.css` from its layer on. */
function styleSheetOf(layers: readonly ThemeSources[], { accent }: SiteInfo) {
  const first = layers.findLastIndex((layer) => layer.has('style.css'));
  const text = [
    layers[first]?.get('style.css') ?? '',
    ...layers.slice(first).flatMap((layer) => layer.get('custom.css') ?? []),
    // Last, as an @import must be first; without weight, so that a style sheet's own colours win.
    `/* Pressmark: the accent colour of the config */`,
    `:where(:root) { --accent-light: ${accent.light}; --accent-dark: ${accent.dark} }`,
    '',
  ].join('\n');
  return { file: withHash('assets/style.css', text), text };
}

/** The texts of the built-in theme and of those in these folders, which need not exist. */
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

/** The files in a theme's `assets/`. */
function assetsIn({ kind, dir }: ThemeFolder) {
  return kind === 'words' ? [] : filesOfTheme(kind === 'theme' ? join(dir, 'assets/') : dir, 'assets/');
}

/** The files in a theme's `root/`, which go to the top of the site. */
function rootFilesIn({ kind, dir }: ThemeFolder) {
  return kind === 'theme' ? filesOfTheme(join(dir, 'root/'), '') : [];
}

/** The public files in a folder, by their names below the output folder, and by such names with a hash of their content. */
function filesOfTheme(folder: string, place: string) {
  return publicFilesIn(folder).map((name) => {
    const file = `${place}${name}`;
    const read = () => fs.readFileSync(join(folder, name));
    return { file, hashedFile: withHash(file, read()), read };
  });
}

/** A file's name with a hash of its content before the type. */
function withHash(file: string, content: string | Uint8Array): string {
  const { dir, name, ext } = posix.parse(file);
  return posix.join(dir, `${name}.${hash('sha256', content).slice(0, 8)}${ext}`);
}

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
