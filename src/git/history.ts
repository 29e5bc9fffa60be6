import type { Person } from './commit/identity.js';
import type { CommittedFolder } from './content-folder.js';
import { commitAt } from './objects.js';
import type { Repository } from './repository.js';

/** A commit of an article's file. */
export interface FileCommit {
  readonly commit: string;
  readonly author: Person;
  /** When it was authored, in seconds since 1970. */
  readonly seconds: number;
  readonly subject: string;
  /** From the top of the work tree, as the file was called then. */
  readonly path: string;
  /** Undefined where the commit removed it. */
  readonly blob: string | undefined;
}

/** How long a look into the whole history may take, in milliseconds; it may have a hundred thousand commits. */
const LIMIT_MS = 300_000;

/** A commit as git prints it: its name, author, time and subject. */
const FORMAT = '%x01%H%x00%an%x00%ae%x00%at%x00%s%x00';

/**
 * The commits of a file on the branch, newest first, also under the names that it had before.
 *
 * @param path from the top of the work tree.
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOf(repository: Repository, path: string): Promise<FileCommit[]> {
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  const { stdout } = await repository.git(
    ['log', '--follow', '--raw', '-z', '--no-abbrev', `--format=${FORMAT}`, 'HEAD', '--', path],
    { timeoutMs: LIMIT_MS },
  );
  return stdout
    .split('\x01')
    .slice(1)
    .flatMap((record) => {
      const [commit = '', name = '', email = '', seconds = '', subject = '', , raw = '', ...paths] =
        record.split('\0');
      const [, mode, , id] = raw.trimStart().split(' ');
      const named = paths.filter((one) => one !== '').at(-1);
      if (named === undefined) return [];
      const blob = mode === '000000' ? undefined : id;
      return [{ commit, author: { name, email }, seconds: Number(seconds), subject, path: named, blob }];
    });
}

/** The text of a committed file as it would be checked out. */
export async function textOf({ git }: Repository, { path, blob }: FileCommit): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  return (await git(['cat-file', '--filters', `--path=${path}`, blob])).stdout;
}

/**
 * The authors of the last commits of files of the content folder, by their paths relative to the site's folder.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function lastAuthors(
  { repository, folder, inSite }: CommittedFolder,
  paths: ReadonlySet<string>,
): Promise<Map<string, Person>> {
  if ((await commitAt(repository, 'HEAD')) === null) return new Map();
  const found = new Map<string, Person>();
  const where = folder === '' ? [] : ['--', folder];
  const { stdout } = await repository.git(
    ['log', '--name-only', '-z', '--no-renames', '--format=%x01%an%x00%ae', 'HEAD', ...where],
    { timeoutMs: LIMIT_MS },
  );
  for (const record of stdout.split('\x01').slice(1)) {
    const [name = '', email = '', ...names] = record.split('\0');
    for (const path of names.map((one) => inSite(one.trimStart())))
      if (paths.has(path) && !found.has(path)) found.set(path, { name, email });
  }
  return found;
}
