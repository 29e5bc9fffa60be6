import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../errors.js';
import { createGit, redacted } from '../git/cli/git.js';

/** A large site through a slow line. */
const TIMEOUT_MS = 30 * 60_000;

/** The clone, until it is whole and what is in it is moved out. While it is there, the site's folder holds nothing else. */
const UNFINISHED = '.pressmark-clone';

/**
 * Clones a site where its folder is empty or not there, with its submodules; a folder with files stays as it is. A clone that
 * a killed process has left is made anew.
 *
 * @param remote a URL or a path.
 * @throws PressmarkError GIT_FAILED, with what git said.
 */
export async function cloneSite(remote: string, dir: string, env: NodeJS.Dict<string>): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
  const names = fs.readdirSync(dir);
  if (names.length > 0 && !names.includes(UNFINISHED)) return;
  for (const name of names) if (name !== UNFINISHED) remove(join(dir, name));
  const clone = join(dir, UNFINISHED);
  remove(clone);
  const git = createGit({ cwd: dir, safeDirectory: clone, env, timeoutMs: TIMEOUT_MS });
  try {
    await git(['clone', '--quiet', '--recurse-submodules', '--', remote, clone]);
  } catch (error) {
    remove(clone);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    throw new PressmarkError(
      'GIT_FAILED',
      `${redacted(remote)} could not be cloned: ${cause?.message ?? 'git said nothing'}`,
      { cause: error },
    );
  }
  for (const name of fs.readdirSync(clone)) fs.renameSync(join(clone, name), join(dir, name));
  fs.rmdirSync(clone);
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
