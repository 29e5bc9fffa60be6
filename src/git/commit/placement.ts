import { lstatSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { commitAt } from '../cli/objects.js';
import { ignoredPaths } from '../cli/path-rules.js';
import type { Repository } from '../cli/repository.js';
import { parentOf, SUBMODULE, treesAt } from '../cli/tree.js';

/** Where a file stands in the repository, or why it is not for us to commit. */
export type Placement =
  | { readonly kind: 'inside'; readonly inRepository: string }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Says for files of the site (relative to the site's folder) where in the repository they are committed: an article that
 * is a symbolic link is written, and so committed, where it leads. Not at all: what is ignored, and what lies in another
 * repository or outside of this one.
 */
export async function placeFiles(
  repository: Repository,
  paths: Iterable<string>,
): Promise<Map<string, Placement>> {
  const placements = await resolveFiles(repository, paths);
  for (const [path, place] of placements) {
    const target = place.kind === 'inside' && (await targetOf(join(repository.top, place.inRepository)));
    if (target) placements.set(path, inFolder(await placeFolder(repository, dirname(target)), target));
  }
  const inside = [...placements.values()].flatMap((place) =>
    place.kind === 'inside' ? [place.inRepository] : [],
  );
  const ignored = await ignoredPaths(repository, inside);
  for (const [path, place] of placements) {
    if (place.kind === 'inside' && ignored.has(place.inRepository))
      placements.set(path, { kind: 'refused', why: 'it is ignored by git' });
  }
  return placements;
}

/** `placeFiles` for one file. */
export async function placeFile(repository: Repository, path: string): Promise<Placement> {
  const placements = await placeFiles(repository, [path]);
  return placements.get(path) ?? { kind: 'refused', why: 'it has no place in the repository' };
}

/** `placeFiles` for files that are known not to be ignored, and to be no links: git is not asked. */
export async function resolveFiles(
  repository: Repository,
  paths: Iterable<string>,
): Promise<Map<string, Placement>> {
  const placements = new Map<string, Placement>();
  const folders = new Map<string, Placement>();
  const folderOf = (path: string) => dirname(join(repository.top, repository.prefix, path));
  for (const path of new Set(paths)) {
    const folder = folderOf(path);
    folders.set(folder, folders.get(folder) ?? (await placeFolder(repository, folder)));
  }
  await refuseSubmodules(repository, folders);
  for (const path of new Set(paths)) {
    const place = folders.get(folderOf(path));
    if (place !== undefined) placements.set(path, inFolder(place, path));
  }
  return placements;
}

/** Where a file is whose folder is there. */
function inFolder(folder: Placement, path: string): Placement {
  if (folder.kind === 'refused') return folder;
  return { kind: 'inside', inRepository: posix.join(folder.inRepository, basename(path)) };
}

/** Where a symbolic link leads; undefined for anything else, and where it leads nowhere. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? await realpath(path) : undefined;
  } catch {
    // whoever reads it finds out
    return undefined;
  }
}

/** Follows symbolic links, and looks for a repository inside the repository (a submodule, say). */
async function placeFolder(repository: Repository, folder: string): Promise<Placement> {
  const real = await realpathOfExisting(folder);
  const inside = relative(repository.top, real);
  if (inside === '..' || inside.startsWith(`..${sep}`))
    return { kind: 'refused', why: 'it is outside of the work tree' };
  for (let at = real; at.length > repository.top.length; at = dirname(at)) {
    if (await isThere(join(at, '.git'))) return { kind: 'refused', why: 'it is in a repository of its own' };
  }
  return { kind: 'inside', inRepository: inside.split(sep).join('/') };
}

/** Refuses folders in submodules that are not initialised: these are empty folders, without a repository. */
async function refuseSubmodules(repository: Repository, folders: Map<string, Placement>): Promise<void> {
  const head = await commitAt(repository, 'HEAD');
  if (head === null) return;
  const inside = [...folders].flatMap(([folder, place]) =>
    place.kind === 'inside' ? [[folder, place.inRepository] as const] : [],
  );
  const trees = await treesAt(
    repository,
    head,
    inside.map(([, inRepository]) => inRepository),
  );
  for (const [folder, inRepository] of inside)
    for (let at = inRepository; at !== ''; at = parentOf(at))
      if (trees.get(parentOf(at))?.entry(posix.basename(at))?.mode === SUBMODULE)
        folders.set(folder, { kind: 'refused', why: `${at} is a submodule that is not initialised` });
}

/** `realpath` that puts up with folders that were removed meanwhile. */
async function realpathOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return join(await realpathOfExisting(parent), relative(parent, path));
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // absent, or in a folder that is not there: no repository either way
    return false;
  }
}
