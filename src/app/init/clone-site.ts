import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { createGit, redacted } from '../../git/git.js';

/** Enough for a large site on a slow line, in milliseconds. */
const TIMEOUT_MS = 30 * 60_000;

/** The folder of an unfinished clone, and of a finished one whose files are to be moved. */
const [UNFINISHED, WHOLE] = ['.pressmark-clone', '.pressmark-cloned'];

/** What may exist before the site does: an earlier receiver's state folder, and a file system's own folder. */
const NO_SITE = new Set(['.pressmark', 'lost+found']);

/**
 * Clones a site with its submodules into an empty or missing folder; an existing repository stays as it is. After a kill, an
 * unfinished clone is made again, and a finished one is moved into place. Nothing else in the folder is ever removed.
 *
 * @param remote a URL or a path.
 * @throws PressmarkError GIT_FAILED; its `cause` is git's message; CONFIG_INVALID if the folder holds other files, because articles
 *   stored there would never reach `remote`.
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
          `the site's folder is neither empty nor a git repository: it has ${quote(other)}; empty it, or leave out --clone`,
        );
      remove(unfinished);
      await clone(remote, unfinished, createGit({ cwd: dir, env, timeoutMs: TIMEOUT_MS }));
      fs.renameSync(unfinished, whole);
    }
    const names = fs.readdirSync(whole).filter((name) => name !== '.git');
    // `.git` comes last: once it exists, everything is in place.
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
    const cause = error instanceof Error ? error.cause : undefined;
    throw new PressmarkError('GIT_FAILED', `${redacted(remote)} could not be cloned`, { cause });
  }
}

/** Whether a `.git` is a repository: a process of a killed receiver may have recreated the folder for its state alone. */
function isRepository(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true || fs.existsSync(join(path, 'HEAD'));
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
