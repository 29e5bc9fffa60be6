import fs from 'node:fs';
import { dirname } from 'node:path';
import { PressmarkError } from '../errors.js';
import { createGit, redacted } from '../git/git.js';

/** A large site through a slow line. */
const TIMEOUT_MS = 30 * 60_000;

/**
 * Clones a site where its folder is empty or not there, with its submodules; a folder with files stays as it is.
 *
 * @param remote a URL or a path.
 * @throws PressmarkError GIT_FAILED, with what git said.
 */
export async function cloneSite(remote: string, dir: string, env: NodeJS.Dict<string>): Promise<void> {
  if (fs.existsSync(dir) && fs.readdirSync(dir).length > 0) return;
  fs.mkdirSync(dirname(dir), { recursive: true });
  const git = createGit({ cwd: dirname(dir), safeDirectory: dir, env, timeoutMs: TIMEOUT_MS });
  try {
    await git(['clone', '--quiet', '--recurse-submodules', '--', remote, dir]);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    throw new PressmarkError(
      'GIT_FAILED',
      `${redacted(remote)} could not be cloned: ${cause?.message ?? 'git said nothing'}`,
      { cause: error },
    );
  }
}
