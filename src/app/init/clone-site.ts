import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { createGit, redacted } from '../../git/git.js';

/** A large site through a slow line. */
const TIMEOUT_MS = 30 * 60_000;

/** The clone while git makes it, and when it is whole, until what is in it is moved out. */
const [UNFINISHED, WHOLE] = ['.pressmark-clone', '.pressmark-cloned'];

/** What may be there before the site is: the state folder of a receiver before, and what a file system has at its top. */
const NO_SITE = new Set(['.pressmark', 'lost+found']);

/**
 * Clones a site where its folder is empty or not there, with its submodules; a git repository stays as it is. If the process
 * was killed, the clone is made anew, or moved to its place if it was whole. Nothing else in the folder is ever removed.
 *
 * @param remote a URL or a path.
 * @throws PressmarkError GIT_FAILED, with what git said; CONFIG_INVALID if the folder holds other files: to start on
 *   them would be to store articles where `remote` does not get them.
 */
export async function cloneSite(remote: string, dir: string, env: NodeJS.Dict<string>): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
  const [unfinished, whole] = [join(dir, UNFINISHED), join(dir, WHOLE)];
  if (!isRepository(join(dir, '.git'))) {
    if (!fs.existsSync(whole)) {
      const other = fs.readdirSync(dir).find((name) => !NO_SITE.has(name) && name !== UNFINISHED);
      if (other !== undefined)
        throw new PressmarkError(
          'CONFIG_INVALID',
          `the site's folder is neither empty nor a git repository, it has ${quote(other)}; empty it, or leave out --clone`,
        );
      remove(unfinished);
      await clone(remote, unfinished, createGit({ cwd: dir, env, timeoutMs: TIMEOUT_MS }));
      fs.renameSync(unfinished, whole);
    }
    const names = fs.readdirSync(whole).filter((name) => name !== '.git');
    // With `.git`, which comes last, everything is in its place.
    for (const name of [...names, '.git'])
      if (!NO_SITE.has(name) || !fs.existsSync(join(dir, name)))
        fs.renameSync(join(whole, name), join(dir, name));
  }
  remove(unfinished);
  remove(whole);
}

async function clone(remote: string, into: string, git: ReturnType<typeof createGit>): Promise<void> {
  try {
    await git(['clone', '--quiet', '--recurse-submodules', '--', remote, into]);
  } catch (error) {
    remove(into);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    throw new PressmarkError(
      'GIT_FAILED',
      `${redacted(remote)} could not be cloned: ${cause?.message ?? 'git said nothing'}`,
      { cause: error },
    );
  }
}

/** Whether a `.git` is a repository's: a killed receiver's process may have brought back a folder with a state alone. */
function isRepository(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true || fs.existsSync(join(path, 'HEAD'));
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
