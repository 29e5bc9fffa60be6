import { catalogId } from '../store/catalog/entry.js';
import type { CommittedFolder } from './content-folder.js';
import type { Person } from './identity.js';
import { changesIn, commitAt, contentsOf } from './objects.js';
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
  /** Undefined if the commit removed it. */
  readonly blob: string | undefined;
}

/** How long a look into the whole history may take, in milliseconds; it may have a hundred thousand commits. */
const LIMIT_MS = 300_000;

/** … and how long where somebody waits for a page. */
const PAGE_LIMIT_MS = 20_000;

/** A commit as git prints it: its name, author, time and subject. */
const FORMAT = '%x01%H%x00%an%x00%ae%x00%at%x00%s%x00';

/**
 * The commits of a file on the branch, newest first, also under the names that it had before.
 *
 * @param path from the top of the work tree.
 * @param most so many of the newest, for somebody who waits. @default all
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOf(repository: Repository, path: string, most?: number): Promise<FileCommit[]> {
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  const { stdout } = await repository.git(
    [
      'log',
      '--follow',
      '--raw',
      '-z',
      '--no-abbrev',
      `--format=${FORMAT}`,
      ...(most === undefined ? [] : [`--max-count=${most}`]),
      'HEAD',
      '--',
      path,
    ],
    { timeoutMs: most === undefined ? LIMIT_MS : PAGE_LIMIT_MS },
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

/** An article that the history has and the work tree does not. */
export interface HistoricArticle {
  readonly id: string;
  readonly url: string;
}

export interface DeletedInHistoryOptions {
  readonly repository: Repository;
  /** Reads a text that an article's file (relative to the site's folder) has held; undefined if it is malformed. */
  readonly decode: (path: string, text: string) => Promise<{ readonly article: HistoricArticle } | undefined>;
  /** Whether an article with this id is there. */
  readonly isThere: (id: string) => boolean;
}

/** The trailer of an article's commit. */
const TRAILER = '(trailers:key=Article-Id,valueonly,separator=%x2C)';

/** How many commits are looked at together. */
const CHUNK = 500;

/**
 * The articles that Pressmark has committed and that are not there any more, as far back as the clone goes.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function deletedInHistory(options: DeletedInHistoryOptions): Promise<HistoricArticle[]> {
  const { repository, decode, isThere } = options;
  const { git, prefix } = repository;
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  // Without what they changed, as nearly all of these articles are there.
  const { stdout } = await git(['log', '-z', `--format=%H %${TRAILER}`, '--grep=^Article-Id: ', 'HEAD'], {
    timeoutMs: LIMIT_MS,
  });
  const last = new Map<string, string>();
  for (const line of stdout.split('\0')) {
    const [commit = '', ...rest] = line.split(' ');
    const id = idIn(rest.join(' ').trim());
    if (id !== undefined && !isThere(id) && !last.has(id)) last.set(id, commit);
  }
  const found: HistoricArticle[] = [];
  const commits = [...last.values()];
  for (let start = 0; start < commits.length; start += CHUNK) {
    const input = commits.slice(start, start + CHUNK).map((commit) => `${commit}\n`);
    const command = ['diff-tree', '--stdin', '-r', '-z', '--root', '--no-commit-id', '--raw', '--no-renames'];
    const { stdout } = await git(command, { input: input.join('') });
    const files = changesIn(stdout).flatMap(({ path, after }) =>
      after === null || !path.startsWith(prefix) ? [] : [{ path: path.slice(prefix.length), blob: after.id }],
    );
    const texts = await contentsOf(
      repository,
      files.map(({ blob }) => blob),
    );
    for (const { path, blob } of files) {
      const article = (await decode(path, texts.get(blob)?.toString('utf8') ?? ''))?.article;
      if (article === undefined) continue;
      const id = catalogId(article.id);
      if (last.has(id)) found.push({ id, url: article.url });
    }
  }
  return found;
}

/** The id in a trailer, which is quoted where it would not fit a line as it is. */
function idIn(value: string): string | undefined {
  if (value === '') return undefined;
  if (!value.startsWith('"')) return value;
  try {
    const id: unknown = JSON.parse(value);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined; // a person's own trailer
  }
}
