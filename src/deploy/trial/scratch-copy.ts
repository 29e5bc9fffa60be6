import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { createGit } from '../../git/git.js';
import type { Repository } from '../../git/repository.js';

/** What is copied, and how much at most. */
export interface ScratchOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** Files and folders that are not copied, relative to the site's folder. */
  readonly except: readonly string[];
  /** The repository that the site stands in; undefined where it is in none. */
  readonly repository?: Pick<Repository, 'git' | 'top' | 'prefix' | 'commonDir' | 'objectFormat'>;
  /** The environment that git runs in. @default empty */
  readonly env?: NodeJS.ProcessEnv;
  /** The most bytes that are copied. @default 1 GiB */
  readonly maxBytes?: number;
  /** The most files that are copied. @default 200000 */
  readonly maxFiles?: number;
}

/** A copy of a site in a temporary folder that only the present user can read. */
export interface Scratch {
  /** The copy of the site's folder, absolute, without symbolic links in its path. */
  readonly dir: string;
  /**
   * Replaces a file of the copy. It never writes through a symbolic link, which could lead to the site's own files.
   *
   * @returns false where the file is behind a symbolic link, or is one, or is not in the copy.
   */
  replace(path: string, text: string): boolean;
  /**
   * Writes a file of the copy, new or not, or removes it where `text` is undefined. It never writes through a symbolic link.
   *
   * @returns false where the file would be behind a symbolic link, or is one, or is a folder.
   */
  write(path: string, text: string | undefined): boolean;
  remove(): void;
}

const MAX_BYTES = 2 ** 30;
const MAX_FILES = 200_000;

const PREFIX = 'pressmark-trial-';

/** No trial takes as long as this, in milliseconds. */
const ABANDONED_MS = 24 * 3_600_000;

/** Removes copies of this user's that a killed process has left, as they hold a site's files. */
export function removeAbandoned(folder: string, now = Date.now()): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.();
    if (isOurs && now - stat.mtimeMs > ABANDONED_MS) fs.rmSync(path, { recursive: true, force: true });
  }
}

/** Lines of `.env` that no build needs. */
const SECRET_LINE = /^[ \t]*(?:export[ \t]+)?PRESSMARK_SECRET\w*[ \t]*=.*$/gm;

/**
 * Copies a site for a trial build. Packages are not copied: the copy's `node_modules` holds links to them. A symbolic link
 * within the site leads to its counterpart in the copy; one that leaves the site leads where it has led.
 *
 * @throws PressmarkError SITE_TOO_LARGE; nothing of the copy is left then.
 */
export async function copySite(options: ScratchOptions): Promise<Scratch> {
  const siteDir = fs.realpathSync(options.siteDir);
  const { maxBytes = MAX_BYTES, maxFiles = MAX_FILES } = options;
  const except = new Set(options.except.map((path) => relative(siteDir, resolve(siteDir, path))));
  // Two folders deep, so that what a build writes next to its site is removed with it.
  removeAbandoned(tmpdir());
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), PREFIX)));
  const { repository } = options;
  const top = join(root, 'site', basename(repository?.top ?? siteDir) || 'site');
  const dir = join(top, repository?.prefix ?? '').replace(/[\\/]$/, '');
  const remove = () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  let bytes = 0;
  let files = 0;

  async function copyFolder(from: string, to: string): Promise<void> {
    fs.mkdirSync(to, { recursive: true });
    for (const entry of await fs.promises.readdir(from, { withFileTypes: true })) {
      const source = join(from, entry.name);
      const target = join(to, entry.name);
      const path = relative(siteDir, source);
      if (entry.name === '.git' || entry.name === '.pressmark') continue;
      // Where Bundler keeps a site's gems.
      const isGems = entry.isDirectory() && path === join('vendor', 'bundle');
      if (isGems) fs.symlinkSync(source, target);
      else if (except.has(path)) continue;
      else if (entry.isSymbolicLink()) copyLink(source, target);
      else if (entry.isDirectory()) {
        if (entry.name === 'node_modules') linkPackages(source, target);
        else await copyFolder(source, target);
      } else if (entry.isFile()) await copyFile(source, target, path);
    }
  }

  async function copyFile(source: string, target: string, path: string): Promise<void> {
    files++;
    bytes += (await fs.promises.stat(source)).size;
    if (bytes > maxBytes || files > maxFiles)
      throw new PressmarkError(
        'SITE_TOO_LARGE',
        `the site is too large for a trial build: a copy may have ${maxFiles} files and ${Math.round(maxBytes / 2 ** 20)} MB. Remove build output and caches from the site's folder, or set "output" to the folder that they are in`,
      );
    if (/^\.env(?:\.|$)/.test(path)) {
      const text = await fs.promises.readFile(source, 'latin1');
      await fs.promises.writeFile(target, text.replace(SECRET_LINE, ''), { encoding: 'latin1', mode: 0o600 });
    } else await fs.promises.copyFile(source, target, fs.constants.COPYFILE_FICLONE);
  }

  function copyLink(source: string, target: string): void {
    const written = fs.readlinkSync(source);
    const to = resolve(dirname(source), written);
    const inside = relative(siteDir, to);
    const isInside = !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`);
    fs.symlinkSync(isInside ? relative(dirname(target), join(dir, inside)) || '.' : to, target);
  }

  try {
    await copyFolder(siteDir, dir);
    linkPackagesAbove(siteDir, join(root, 'site'));
    if (repository !== undefined) await borrowHistory(repository, top, options.env ?? {});
    return {
      dir,
      replace: (path, text) => fs.existsSync(join(dir, path)) && writeFile(join(dir, path), text),
      write: (path, text) => writeFile(join(dir, path), text),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Links the packages one by one, and not the folder: generators keep caches in it (`node_modules/.astro`), which a trial
 * build must not change.
 */
function linkPackages(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from))
    if (!name.startsWith('.') || name === '.bin') fs.symlinkSync(join(from, name), join(to, name));
}

/**
 * Makes a repository for the copy that has the site's history and shares none of its references or index: generators ask
 * git when a file was changed, and Hugo with `enableGitInfo` does not build outside of a repository.
 */
async function borrowHistory(
  { git, commonDir, objectFormat }: NonNullable<ScratchOptions['repository']>,
  top: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  const copy = createGit({ cwd: top, safeDirectory: top, env });
  await copy(['init', '-q', '--template=', `--object-format=${objectFormat}`]);
  fs.mkdirSync(join(top, '.git/objects/info'), { recursive: true });
  fs.writeFileSync(join(top, '.git/objects/info/alternates'), `${join(commonDir, 'objects')}\n`);
  const shallow = join(commonDir, 'shallow');
  if (fs.existsSync(shallow)) fs.copyFileSync(shallow, join(top, '.git/shallow'));
  if (head.code !== 0) return; // before the first commit
  await copy(['update-ref', 'HEAD', head.stdout.trim()]);
  await copy(['read-tree', 'HEAD']);
}

/** The packages of a repository in which the site is a folder. */
function linkPackagesAbove(siteDir: string, to: string): void {
  for (let at = dirname(siteDir); ; at = dirname(at)) {
    const packages = join(at, 'node_modules');
    if (fs.existsSync(packages)) {
      linkPackages(packages, join(to, 'node_modules'));
      return;
    }
    if (at === dirname(at)) return;
  }
}

function writeFile(target: string, text: string | undefined): boolean {
  let folder = dirname(target);
  while (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  if (!fs.existsSync(folder) || fs.realpathSync(folder) !== folder) return false;
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return false;
  // A new file: what was copied may share its blocks, and its permissions may forbid writing.
  fs.rmSync(target, { force: true });
  if (text === undefined) return true;
  fs.mkdirSync(dirname(target), { recursive: true });
  fs.writeFileSync(target, text, { flag: 'wx', mode: 0o600 });
  return true;
}
