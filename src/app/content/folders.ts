import fs from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import type { Settings } from '../../config/load.js';

/** The folder of a plain site's static files, relative to the site's folder. */
export const STATIC = 'static';

/** The folders of a site, absolute. */
export function foldersOf({
  dir,
  content,
  output,
  templates,
  generator,
}: Pick<Settings, 'dir' | 'content' | 'output' | 'templates' | 'generator'>) {
  return {
    contentDir: resolve(dir, content),
    outputDir: resolve(dir, output),
    templatesDir: resolve(dir, templates),
    staticDir: resolve(dir, STATIC),
    stateDir: (generator === 'plain' ? undefined : stateInGitFolder(dir)) ?? resolve(dir, '.pressmark'),
  };
}

/**
 * The content folder relative to the site's folder, with forward slashes and a trailing one; empty if both are the same folder.
 * It is the prefix of the path of an article's file.
 */
export function contentPrefix({ content }: Pick<Settings, 'content'>): string {
  return posix.join(content.replaceAll('\\', '/'), '/').replace(/^\.\//, '');
}

/** The site's base path; `''` for the root. */
export function basePathOf({ siteUrl }: Pick<Settings, 'siteUrl'>): string {
  return new URL(siteUrl).pathname.replace(/\/$/, '');
}

/**
 * The state folder of a site that another generator builds: below `.git`, which no generator watches, copies or serves. In the
 * site's folder, Jekyll would build the site again after each change, and Astro would serve the files.
 *
 * @returns undefined outside of a git work tree, or if its git folder is on another file system than the site: staged files are
 *   linked or renamed into place.
 */
function stateInGitFolder(dir: string): string | undefined {
  for (let folder = resolve(dir); ; folder = dirname(folder)) {
    const git = gitFolder(join(folder, '.git'));
    if (git !== undefined && !isOnOneDevice(git, dir)) return undefined;
    if (git !== undefined) return join(git, 'pressmark', ...relative(folder, resolve(dir)).split(sep));
    if (folder === dirname(folder)) return undefined;
  }
}

function isOnOneDevice(git: string, dir: string): boolean {
  const device = (path: string) => fs.statSync(path, { throwIfNoEntry: false })?.dev;
  return device(git) === device(dir);
}

/** The git folder at a `.git`, which is a file in a linked work tree or a submodule. */
function gitFolder(path: string): string | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return stat && path;
  const named = /^gitdir: (.+?)\r?\n?$/.exec(fs.readFileSync(path, 'utf8'))?.[1];
  if (named === undefined) return undefined;
  return isAbsolute(named) ? named : resolve(dirname(path), named);
}
