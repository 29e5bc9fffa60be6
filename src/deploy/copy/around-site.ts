import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createGit } from '../../git/git.js';
import type { Repository } from '../../git/repository.js';

/** Makes a symbolic link, unless it exists. */
export function linkTo(to: string, path: string): void {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true && fs.readlinkSync(path) === to) return;
  fs.rmSync(path, { recursive: true, force: true });
  fs.symlinkSync(to, path);
}

/** Makes a folder, unless it exists; a file or link in its place is removed. */
export function makeFolder(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  fs.rmSync(path, { force: true });
  fs.mkdirSync(path, { recursive: true });
}

/**
 * Links the packages one by one, not the folder: generators keep caches in it (`node_modules/.astro`), which a build of the
 * copy must not change.
 */
export function linkPackages(from: string, to: string): void {
  makeFolder(to);
  for (const name of fs.readdirSync(from))
    if (!name.startsWith('.') || name === '.bin') linkTo(join(from, name), join(to, name));
}

/** Links the packages of a repository that holds the site in a folder. */
export function linkPackagesAbove(siteDir: string, to: string): void {
  for (let at = dirname(siteDir); ; at = dirname(at)) {
    const packages = join(at, 'node_modules');
    if (fs.existsSync(packages)) {
      linkPackages(packages, join(to, 'node_modules'));
      return;
    }
    if (at === dirname(at)) return;
  }
}

/**
 * Links the site's neighbours in its repository, such as a theme for several sites. Hidden files and folders are not linked, as
 * secrets and git's files are among them.
 */
export async function linkNeighbours(
  siteDir: string,
  copyDir: string,
  prefix: string,
  link: (from: string, to: string) => Promise<void>,
): Promise<void> {
  let from = siteDir;
  let to = copyDir;
  for (let depth = prefix.split('/').filter((name) => name !== '').length; depth > 0; depth--) {
    const ours = basename(from);
    from = dirname(from);
    to = dirname(to);
    for (const name of fs.readdirSync(from))
      if (name !== ours && name !== 'node_modules' && !name.startsWith('.'))
        await link(join(from, name), join(to, name));
  }
}

/**
 * Makes a repository for the copy, with the site's history but its own references and index. Generators ask git when a file was
 * changed, and Hugo with `enableGitInfo` does not build outside of a repository.
 */
export async function borrowHistory(
  { git, commonDir, objectFormat }: Pick<Repository, 'git' | 'commonDir' | 'objectFormat'>,
  top: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  const copy = createGit({ cwd: top, env });
  if (!fs.existsSync(join(top, '.git')))
    await copy(['init', '-q', '--template=', `--object-format=${objectFormat}`]);
  fs.mkdirSync(join(top, '.git/objects/info'), { recursive: true });
  fs.writeFileSync(join(top, '.git/objects/info/alternates'), `${join(commonDir, 'objects')}\n`);
  const shallow = join(commonDir, 'shallow');
  if (fs.existsSync(shallow)) fs.copyFileSync(shallow, join(top, '.git/shallow'));
  if (head.code !== 0) return; // before the first commit
  await copy(['update-ref', 'HEAD', head.stdout.trim()]);
  await copy(['read-tree', 'HEAD']);
}
