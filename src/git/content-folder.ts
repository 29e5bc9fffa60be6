import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { PressmarkError } from '../errors.js';
import { CHECK_IGNORE } from './git.js';
import { commitAt, entriesAt } from './objects.js';
import { isOlder, openRepository, type Repository } from './repository.js';

/** A content folder whose articles can be committed. */
export interface CommittedFolder {
  readonly kind: 'inside';
  readonly repository: Repository;
  /** The folder, absolute, with symbolic links resolved. */
  readonly root: string;
  /** The folder from the top of the work tree: empty, or with a slash at its end. */
  readonly folder: string;
  /**
   * Converts a path relative to the site's folder to an absolute one, with symbolic links down to the content folder resolved.
   */
  fileAt(path: string): string;
  /** Converts a path relative to the site's folder to one from the top of the work tree. */
  inRepository(path: string): string;
  /** Converts a path from the top of the work tree to one relative to the site's folder. */
  inSite(path: string): string;
}

/** The content folder in its repository, or the reason why its articles cannot be committed. */
export type FolderInGit = CommittedFolder | { readonly kind: 'refused'; readonly why: string };

/** The mode of a submodule in a tree. */
const SUBMODULE = '160000';

/** A file name that no article has, to ask git for rules that would apply to articles. */
const PROBE = 'articles/pressmark-probe.md';

/**
 * Checks the content folder, after resolving symbolic links: it must be in the work tree, in no other repository, and not
 * ignored.
 *
 * @param content the content folder, relative to the site's folder; empty, or with a slash at its end.
 */
export async function checkContentFolder(repository: Repository, content: string): Promise<FolderInGit> {
  const { top, git } = repository;
  const root = await realpathOfExisting(join(top, repository.prefix, content));
  const inside = relative(await realpath(top), root);
  if (inside === '..' || inside.startsWith(`..${sep}`)) return refused('it is outside of the work tree');
  const path = inside.split(sep).join('/');
  for (let at = root; at.length > top.length; at = dirname(at))
    if (existsSync(join(at, '.git'))) return refused('it is in a repository of its own');
  const folders = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  const known =
    path === '' ? new Map() : await entriesAt(repository, await commitAt(repository, 'HEAD'), folders);
  for (const [name, { mode }] of known)
    if (mode === SUBMODULE) return refused(`${name} is a submodule that is not initialised`);
  const folder = path === '' ? '' : `${path}/`;
  const ignored = await git([...CHECK_IGNORE, '-q', '--', `./${folder}${PROBE}`], { accept: [1] });
  if (ignored.code === 0) return refused('it is ignored by git');
  return {
    kind: 'inside',
    repository,
    root,
    folder,
    fileAt: (path) => join(root, path.slice(content.length)),
    inRepository: (path) => `${folder}${path.slice(content.length)}`,
    inSite: (path) => `${content}${path.slice(folder.length)}`,
  };
}

function refused(why: string): FolderInGit {
  return { kind: 'refused', why };
}

export interface CommittableOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  readonly env: NodeJS.Dict<string>;
}

/**
 * Opens the work tree of a site, and checks that every article can be committed before it is acknowledged.
 *
 * @throws PressmarkError CONFIG_INVALID, with the reason why this durability level is not possible.
 */
export async function committableTree(
  { siteDir, content, env }: CommittableOptions,
  level: 'commit' | 'push',
  signal?: AbortSignal,
): Promise<Repository> {
  const refuse = (why: string) =>
    new PressmarkError('CONFIG_INVALID', `durability: '${level}' is not possible here: ${why}`);
  const found = await openRepository(siteDir, env, signal === undefined ? {} : { signal });
  if (found.kind === 'none') throw refuse(found.because);
  const place = await checkContentFolder(found, content);
  if (place.kind === 'refused') throw refuse(`the content folder: ${place.why}`);
  if (level === 'commit') return found;
  if (place.folder !== `${found.prefix}${content}`) throw refuse('the content folder is a symbolic link');
  if (await isFiltered(found, `${place.folder}${PROBE}`))
    throw refuse(
      'a filter of .gitattributes applies to the content folder; Pressmark commits articles as they are',
    );
  if (await isSparse(found)) throw refuse('the clone is sparse');
  const [major, minor] = found.version;
  if (isOlder(found.version, [2, 38])) throw refuse(`git ${major}.${minor} is too old; 2.38 is needed`);
  return found;
}

/** Whether the work tree is a sparse checkout. */
async function isSparse({ git }: Repository): Promise<boolean> {
  const { stdout } = await git(['config', '--type=bool', '--get', 'core.sparseCheckout'], { accept: [1] });
  return stdout.trim() === 'true';
}

/** Whether git changes more in a file than its line ends. */
async function isFiltered({ git }: Repository, path: string): Promise<boolean> {
  const names = ['filter', 'ident', 'working-tree-encoding'];
  const { stdout } = await git(['check-attr', '-z', ...names, '--', path]);
  const values = stdout.split('\0').filter((_, index) => index % 3 === 2);
  return values.some((value) => value !== 'unspecified' && value !== 'unset');
}

/** Like `realpath`, for a path whose last folders may not exist yet. */
async function realpathOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return join(await realpathOfExisting(parent), relative(parent, path));
  }
}
