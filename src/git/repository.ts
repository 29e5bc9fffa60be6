import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { createGit, type Git } from './git.js';

/** The repository that a site stands in. */
export interface Repository {
  /** Runs git at the top of the work tree. */
  readonly git: Git;
  /** The top of the work tree, absolute. */
  readonly top: string;
  /** From the top to the site's folder: empty, or with a slash at its end. */
  readonly prefix: string;
  /** This work tree's own git directory, absolute; where HEAD and the index are. */
  readonly gitDir: string;
  /** How objects are named. */
  readonly objectFormat: 'sha1' | 'sha256';
  /** Whether this process is root in somebody else's repository. */
  readonly foreign: boolean;
}

/** Why nothing can be committed here, in words for the log. */
export interface NoRepository {
  readonly because: string;
  /** Whether the owner probably wanted commits and has to do something for them. */
  readonly unexpected: boolean;
}

const OUTSIDE: NoRepository = { because: 'the site is not in a git work tree', unexpected: false };

/**
 * Finds the work tree that `siteDir` is in, or says why there is none.
 *
 * @throws PressmarkError GIT_FAILED where git fails for another reason.
 */
export async function openRepository(
  siteDir: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<Repository | NoRepository> {
  // Only rev-parse, which starts nothing a repository's config names, runs before the owner is known.
  const ask = createGit({ cwd: siteDir, safeDirectory: '*', env, ...(signal && { signal }) });
  const answer = async (...args: string[]) => (await ask(['rev-parse', ...args])).stdout.replace(/\n$/, '');
  try {
    if ((await answer('--is-inside-work-tree')) !== 'true') return OUTSIDE;
  } catch (error) {
    const cause = error instanceof PressmarkError ? error.cause : error;
    if (systemCode(cause) === 'ENOENT') return { because: 'git is not installed', unexpected: false };
    const words = messageOf(cause);
    return words.includes('not a git repository')
      ? OUTSIDE
      : { because: `git does not work here: ${words}`, unexpected: true };
  }
  const [top, prefix, gitDir, format] = await Promise.all([
    answer('--show-toplevel'),
    answer('--show-prefix'),
    answer('--absolute-git-dir'),
    answer('--show-object-format'),
  ]);
  // A repository that somebody else put around the site could name programs (clean filters) that we would run.
  const [site, ...owners] = await ownersOf([await realpath(siteDir), top, gitDir]);
  const uid = process.getuid?.();
  if (!owners.every((owner) => owner === uid || owner === site))
    return { because: 'the work tree around it belongs to another user', unexpected: true };
  return {
    git: createGit({ cwd: top, safeDirectory: top, env, ...(signal && { signal }) }),
    top,
    prefix,
    gitDir,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    foreign: uid === 0 && owners.some((owner) => owner !== uid),
  };
}

async function ownersOf(paths: readonly string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await stat(path)).uid));
}

/** The name that git gives to a file's content. */
export function blobId(repository: Pick<Repository, 'objectFormat'>, content: Buffer): string {
  return createHash(repository.objectFormat).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** The name of the tree without entries, which stands for "before the first commit". */
export function emptyTree(repository: Repository): string {
  return createHash(repository.objectFormat).update('tree 0\0').digest('hex');
}
