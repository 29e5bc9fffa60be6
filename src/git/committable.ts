import { PressmarkError } from '../errors.js';
import { filteredPaths } from './cli/path-rules.js';
import { openRepository, type Repository } from './cli/repository.js';
import { placeFile } from './commit/placement.js';

export interface CommittableOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  readonly env: NodeJS.Dict<string>;
}

/**
 * The work tree that a site is in, where every article of it can be committed before it is acknowledged.
 *
 * @throws PressmarkError CONFIG_INVALID, saying what is in the way of this durability level.
 */
export async function committableTree(
  { siteDir, content, env }: CommittableOptions,
  level: 'commit' | 'push',
  signal?: AbortSignal,
): Promise<Repository> {
  const refuse = (why: string) =>
    new PressmarkError('CONFIG_INVALID', `durability: '${level}' cannot be had: ${why}`);
  const found = await openRepository(siteDir, env, signal === undefined ? {} : { signal });
  if (found.kind === 'none') throw refuse(found.because);
  const probe = `${content}probe.md`;
  const place = await placeFile(found, probe);
  if (place.kind === 'refused') throw refuse(`the content folder: ${place.why}`);
  if (level === 'commit') return found;
  if (place.inRepository !== `${found.prefix}${probe}`) throw refuse('the content folder is a symbolic link');
  if ((await filteredPaths(found, [place.inRepository])).size > 0)
    throw refuse('a filter of .gitattributes applies to the content folder; articles are shared as they are');
  if (await isSparse(found)) throw refuse('the clone is sparse');
  const [major, minor] = found.version;
  if (major < 2 || (major === 2 && minor < 38))
    throw refuse(`git ${major}.${minor} is too old; 2.38 is needed`);
  return found;
}

/** Whether the work tree has only a part of what is committed. */
export async function isSparse({ git }: Repository): Promise<boolean> {
  const { stdout } = await git(['config', '--type=bool', '--get', 'core.sparseCheckout'], { accept: [1] });
  return stdout.trim() === 'true';
}
