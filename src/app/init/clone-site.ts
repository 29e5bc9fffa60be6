import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { createGit, redacted } from '../../git/git.js';

/** A large site through a slow line. */
const TIMEOUT_MS = 30 * 60_000;

/** The clone, until it is whole and what is in it is moved out. While it is there, the site's folder holds nothing else. */
const UNFINISHED = '.pressmark-clone';

/** What may be there before the site is: the state folder of a receiver before, and what a file system has at its top. */
const NO_SITE = new Set(['.pressmark', 'lost+found']);

/**
 * Clones a site where its folder is empty or not there, with its submodules; a git repository stays as it is. A clone that
 * a killed process has left is made anew.
 *
 * @param remote a URL or a path.
 * @throws PressmarkError GIT_FAILED, with what git said; CONFIG_INVALID if the folder holds other files: to start on
 *   them would be to store articles where `remote` does not get them.
 */
export async function cloneSite(remote: string, dir: string, env: NodeJS.Dict<string>): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
  const names = fs.readdirSync(dir).filter((name) => !NO_SITE.has(name));
  if (names[0] !== undefined && !names.includes(UNFINISHED)) {
    if (isRepository(join(dir, '.git'))) return;
    throw new PressmarkError(
      'CONFIG_INVALID',
      `the site's folder is neither empty nor a git repository, it has ${quote(names[0])}; empty it, or leave out --clone`,
    );
  }
  for (const name of names) if (name !== UNFINISHED) remove(join(dir, name));
  const clone = join(dir, UNFINISHED);
  remove(clone);
  const git = createGit({ cwd: dir, env, timeoutMs: TIMEOUT_MS });
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
  for (const name of fs.readdirSync(clone))
    if (!NO_SITE.has(name) || !fs.existsSync(join(dir, name)))
      fs.renameSync(join(clone, name), join(dir, name));
  remove(clone);
}

/** Whether a `.git` is a repository's: a killed receiver's process may have brought back a folder with a state alone. */
function isRepository(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true || fs.existsSync(join(path, 'HEAD'));
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
