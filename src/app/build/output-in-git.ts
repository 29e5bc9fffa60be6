import fs from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../fs/atomic-write.js';
import { openRepository, type Repository } from '../../git/repository.js';

/** Whether the site is in a git repository that tracks files in its output folder. */
export async function hasTrackedOutput(
  dir: string,
  output: string,
  environment: NodeJS.Dict<string>,
): Promise<boolean> {
  const repository = await openRepository(dir, environment);
  return repository.kind === 'repository' && (await tracksOutput(repository, dir, output));
}

/** Whether git tracks files in the output folder. */
export async function tracksOutput(
  { git }: Pick<Repository, 'git'>,
  dir: string,
  output: string,
): Promise<boolean> {
  const { stdout } = await git(['ls-files', '-z', '--', join(dir, output)]);
  return stdout !== '';
}

/** The warning about an output folder with files in git, and the remedies: a build replaces the folder by a symbolic link. */
export const trackedOutput = (output: string) => ({
  text: `git tracks files in ${output}, which builds would replace by a symbolic link`,
  // If the output is the site's folder, git would stop tracking the sources, too.
  fix: `${join(output, '.') === '.' ? '' : `run git rm -r --cached ${output}, ignore it and commit, if no host publishes it from git; or `}have the generator write another folder and set "output" to it; or leave all builds to you with build: { background: false }`,
});

/** Adds a line to git's exclude file, because `public/` in `.gitignore` does not ignore a symbolic link. */
export async function ignoreLink(
  { commonDir, prefix }: Pick<Repository, 'commonDir' | 'prefix'>,
  output: string,
): Promise<void> {
  const path = join(commonDir, 'info/exclude');
  const line = `/${prefix}${output}`.replace(/\/+$/, '');
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  if (text.split('\n').includes(line)) return;
  fs.mkdirSync(join(commonDir, 'info'), { recursive: true });
  await writeAtomically(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
}
