import { hash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isGone, PressmarkError, systemCode } from '../../errors.js';
import { versionAt } from '../../fs/fingerprint.js';
import { openRepository, type Repository } from '../../git/repository.js';
import { isBelow, removeFolder, statusAt } from '../folder-files.js';
import {
  borrowHistory,
  linkNeighbours,
  linkPackages,
  linkPackagesAbove,
  linkTo,
  makeFolder,
} from './around-site.js';
import { holdsSecret, isEnvName, type Secrets, secretsOf, withoutSecrets } from './copy-secrets.js';

/** Options of a copy. */
export interface SiteCopyOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The folder of article files, relative to the site's folder. It is copied even if it is a symbolic link. */
  readonly content?: string;
  /** Files and folders that are not copied, relative to the site's folder. */
  readonly except: readonly string[];
  /** The repository of the site; undefined if there is none. */
  readonly repository?: Pick<Repository, 'git' | 'top' | 'prefix' | 'commonDir' | 'objectFormat'>;
  /** The environment of git. @default empty */
  readonly env?: NodeJS.ProcessEnv;
  /** The highest number of bytes to copy. @default 1 GiB */
  readonly maxBytes?: number;
}

/** A copy of a site in a temporary folder that only the current user can read. */
export interface SiteCopy {
  /** The copied site folder, absolute, without symbolic links in its path. */
  readonly dir: string;
  /**
   * Updates the copy: copies changed files and links of the site, and removes deleted ones. Other files of a build stay, including its
   * caches.
   *
   * @returns a version that changes whenever a file or link of the site changes.
   * @throws PressmarkError SITE_TOO_LARGE
   */
  sync(): Promise<string>;
  /**
   * Writes a file of the copy, or removes it if `text` is undefined. Never writes through a symbolic link, but removes one.
   *
   * @returns false if the path is a folder, is behind a symbolic link, or is one that would be written.
   */
  write(path: string, text: string | undefined): boolean;
  remove(): void;
}

const MAX_BYTES = 2 ** 30;

/**
 * Folders that are never copied: git's, Pressmark's, whose sender keeps the secrets of other receivers, and one at the top of a
 * file system that only root can read.
 */
const NOT_COPIED = new Set(['.git', '.pressmark', '.pressmark-sender', 'lost+found']);

/** The prefix of temporary folders with files of a site; see `removeAbandoned`. */
const COPY_PREFIX = 'pressmark-copy-';

/** After which time without an update a copy counts as abandoned, in milliseconds. */
const ABANDONED_MS = 24 * 3_600_000;

/** Removes copies that killed processes of this user have left, as they hold a site's files. */
export function removeAbandoned(folder: string, now = Date.now()): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(COPY_PREFIX)) continue;
    const path = join(folder, name);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stat?.isDirectory() === true && stat.uid === process.getuid?.();
    if (!isOurs || now - stat.mtimeMs <= ABANDONED_MS) continue;
    try {
      removeFolder(path);
    } catch {
      // Another user may have made files in it. It must not stop the builds of this site.
    }
  }
}

/**
 * A copy that is reused by builds. It is made on first use, and again if it was removed, as temporary folders are cleaned up.
 */
export function reusedCopy(options: SiteCopyOptions) {
  let copy: SiteCopy | undefined;
  return {
    /** @returns the updated copy, and its version from `SiteCopy.sync`. */
    async synced(): Promise<{ readonly site: SiteCopy; readonly version: string }> {
      if (copy === undefined || !fs.existsSync(copy.dir)) copy = newCopy(options);
      try {
        return { site: copy, version: await copy.sync() };
      } catch (error) {
        copy.remove();
        copy = undefined;
        throw error;
      }
    },
    /** The folder of the copy; undefined before the first use. */
    dir: () => copy?.dir,
    remove: () => copy?.remove(),
  };
}

/** A copied file or link. */
interface Copied {
  /** The version of the source file, or the target of the link. */
  readonly source: string;
  /** The version of the copied file; undefined for a link. */
  readonly copy: string | undefined;
}

/** @throws PressmarkError SITE_TOO_LARGE; then nothing of the copy is left. */
export async function copySite(options: SiteCopyOptions): Promise<SiteCopy> {
  return (await reusedCopy(options).synced()).site;
}

/** A copy of a site with the history of its repository, if it is in one: some sites cannot be asked without it. */
export async function copyWithHistory(
  siteDir: string,
  except: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<SiteCopy> {
  const repository = await openRepository(siteDir, env);
  return copySite({ siteDir, except, env, ...(repository.kind === 'repository' && { repository }) });
}

/**
 * Makes an empty copy of a site, for builds that must not touch the site itself. Packages and the site's neighbours in its
 * repository are linked, not copied. A symbolic link within the site leads to its counterpart in the copy; a link out of the
 * site keeps its target. A link at the content folder becomes a folder, as builds leave articles out.
 *
 * The copy holds no secrets of Pressmark: environment files, such as `.env`, its backups, and targets of links to such files,
 * are copied without them; any other file with a secret is left out.
 */
function newCopy(options: SiteCopyOptions): SiteCopy {
  const siteDir = fs.realpathSync(options.siteDir);
  const { maxBytes = MAX_BYTES } = options;
  const except = new Set(options.except.map((path) => relative(siteDir, resolve(siteDir, path))));
  // Two folders deep, so that files that a build writes next to the site are removed with the copy.
  removeAbandoned(tmpdir());
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), COPY_PREFIX)));
  const { repository, content } = options;
  const holdsContent = (path: string) => content !== undefined && isBelow(path, join(content, '.'));
  const top = join(root, 'site', basename(repository?.top ?? siteDir) || 'site');
  const dir = join(top, repository?.prefix ?? '').replace(/[\\/]$/, '');
  const remove = () => removeFolder(root);
  /** By the path below the copy's folder. */
  let copied = new Map<string, Copied>();
  /** The secrets that were removed from the copy. */
  let knownSecrets: Secrets = [];

  async function sync(): Promise<string> {
    const secrets = secretsOf(siteDir, options.env ?? {});
    const isSameSecrets = secrets.join('\n') === knownSecrets.join('\n');
    const before = copied;
    const now = new Map<string, Copied>();
    let bytes = 0;
    fs.utimesSync(root, new Date(), new Date()); // it is not abandoned
    await copyFolder(siteDir, dir);
    if (repository !== undefined) await linkNeighbours(siteDir, dir, repository.prefix, linkOut);
    linkPackagesAbove(siteDir, join(root, 'site'));
    for (const path of before.keys()) if (!now.has(path)) writeFile(join(dir, path), undefined);
    if (repository !== undefined) await borrowHistory(repository, top, options.env ?? {});
    copied = now;
    knownSecrets = secrets;
    return hash('sha256', JSON.stringify([...now].map(([path, { source }]) => [path, source]).toSorted()));

    /** Not by `fs.cp`, which fails if a file disappears meanwhile, such as an editor's temporary file. */
    async function copyFolder(from: string, to: string): Promise<void> {
      makeFolder(to);
      for (const entry of await fs.promises.readdir(from, { withFileTypes: true })) {
        const source = join(from, entry.name);
        try {
          await copyEntry(entry, source, join(to, entry.name));
        } catch (error) {
          if (statusAt(source) !== undefined) throw error;
        }
      }
    }

    async function copyEntry(entry: fs.Dirent, source: string, target: string): Promise<void> {
      const path = relative(siteDir, source);
      if (NOT_COPIED.has(entry.name)) return;
      // Bundler's folder for a site's gems.
      const isGems = entry.isDirectory() && path === join('vendor', 'bundle');
      if (isGems) link(source, target);
      else if (except.has(path)) return;
      else if (entry.isSymbolicLink() && !holdsContent(path)) await copyLink(source, target);
      else if (entry.isDirectory() || entry.isSymbolicLink()) {
        if (entry.name === 'node_modules') linkPackages(source, target);
        else await copyFolder(source, target);
      } else if (entry.isFile()) await copyFile(source, target);
    }

    /** Copies a link within the site. */
    async function copyLink(source: string, target: string): Promise<void> {
      const to = linkTarget(source, target);
      if (isAbsolute(to)) await linkOut(source, target, { to });
      else if (isEnvName(basename(source)) && readable(source)?.kind === 'file')
        await copyFile(source, target);
      else link(to, target);
    }

    function link(to: string, target: string): void {
      linkTo(to, target);
      now.set(relative(dir, target), { source: to, copy: undefined });
    }

    /** Links a target outside of the site. Files with secrets are copied without them, also within a linked folder. */
    async function linkOut(
      source: string,
      target: string,
      { to = source, around = [] }: { to?: string; around?: readonly string[] } = {},
    ): Promise<void> {
      const found = readable(source);
      if (found?.kind === 'file') {
        const isEnv = [source, found.path].some((path) => isEnvName(basename(path)));
        if (isEnv || (await holdsSecret(source, found.size, secrets))) await copyFile(source, target, isEnv);
        else link(to, target);
      } else if (found?.kind === 'folder' && found.names.some(isEnvName)) {
        if (around.includes(found.path)) return; // a circle
        makeFolder(target);
        for (const name of found.names)
          await linkOut(join(source, name), join(target, name), { around: [...around, found.path] });
      } else link(to, target);
    }

    async function copyFile(
      source: string,
      target: string,
      isEnv = isEnvName(basename(source)),
    ): Promise<void> {
      const path = relative(dir, target);
      const stat = fs.statSync(source);
      const version = versionAt(source);
      if (version === undefined) return; // removed since
      bytes += stat.size;
      if (bytes > maxBytes)
        throw new PressmarkError(
          'SITE_TOO_LARGE',
          `the site is too large to be copied: it has more than ${Math.round(maxBytes / 2 ** 20)} MB. Remove build output and caches from the site’s folder, or set "output" to the folder of the built site`,
        );
      const known = before.get(path);
      if (isSameSecrets && known?.source === version && known.copy === versionAt(target)) {
        now.set(path, known);
        return;
      }
      fs.rmSync(target, { force: true, recursive: true });
      if (isEnv) {
        const text = withoutSecrets(await fs.promises.readFile(source, 'latin1'), secrets);
        if (text !== undefined)
          await fs.promises.writeFile(target, text, { encoding: 'latin1', mode: 0o600 });
      } else if (!(await holdsSecret(source, stat.size, secrets))) {
        await fs.promises.copyFile(source, target, fs.constants.COPYFILE_FICLONE);
        await fs.promises.utimes(target, stat.atime, stat.mtime); // pages may show when a file was changed
      }
      now.set(path, { source: version, copy: versionAt(target) });
    }
  }

  /** The target of a copied link. */
  function linkTarget(source: string, target: string): string {
    const to = resolve(fs.realpathSync(dirname(source)), fs.readlinkSync(source));
    const inside = relative(siteDir, to);
    const isInside = !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`);
    return isInside ? relative(dirname(target), join(dir, inside)) || '.' : to;
  }

  return { dir, sync, write: (path, text) => writeFile(join(dir, path), text), remove };
}

/** The target of a path, if this user can read it; otherwise undefined. */
function readable(path: string) {
  try {
    const real = fs.realpathSync(path);
    const stat = fs.statSync(real);
    fs.accessSync(real, fs.constants.R_OK);
    if (stat.isDirectory()) return { kind: 'folder', path: real, names: fs.readdirSync(real) } as const;
    return stat.isFile() ? ({ kind: 'file', path: real, size: stat.size } as const) : undefined;
  } catch (error) {
    if (isGone(error) || ['EACCES', 'EPERM', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Writes or removes a file; see `SiteCopy.write`. */
function writeFile(target: string, text: string | undefined): boolean {
  let folder = dirname(target);
  while (statusAt(folder) === undefined) folder = dirname(folder);
  if (statusAt(folder)?.isDirectory() !== true || fs.realpathSync(folder) !== folder) return false;
  const stat = statusAt(target);
  if (stat?.isDirectory() === true || (stat?.isFile() === false && text !== undefined)) return false;
  // Written as a new file: the earlier copy may be shared, or read-only.
  fs.rmSync(target, { force: true });
  if (text === undefined) return true;
  fs.mkdirSync(dirname(target), { recursive: true });
  fs.writeFileSync(target, text, { flag: 'wx', mode: 0o600 });
  return true;
}
