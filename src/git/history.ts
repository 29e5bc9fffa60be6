import type { Article } from '../article/article.js';
import type { StoredArticle } from '../article/stored-article.js';
import { catalogId } from '../store/catalog/entry.js';
import type { CommittedFolder } from './content-folder.js';
import type { Person } from './identity.js';
import { changesIn, commitAt, contentsOf, type TreeChange } from './objects.js';
import type { Repository } from './repository.js';

/** A commit of an article's file. */
export interface FileCommit {
  readonly commit: string;
  readonly author: Person;
  /** The author date, in seconds since 1970. */
  readonly seconds: number;
  readonly subject: string;
  /** The file's path at that time, from the top of the work tree. */
  readonly path: string;
  /** Undefined if the commit removed it. */
  readonly blob: string | undefined;
}

/** How long reading the whole history may take, in milliseconds; it may have a hundred thousand commits. */
const LIMIT_MS = 300_000;

/** … and how long if a person waits for a page. */
const PAGE_LIMIT_MS = 20_000;

/** The output format for commits: name, author, time and subject. */
const FORMAT = '%x01%H%x00%an%x00%ae%x00%at%x00%s%x00';

/**
 * Returns the commits of a file on the branch, newest first, including those under its former names.
 *
 * @param path from the top of the work tree.
 * @param most limits the number of commits, and the time. @default all
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
 * Returns the author of each file's last commit, by paths relative to the site's folder.
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

/** The fields of an article that are read from a former text of its file. */
type HeldText = Pick<StoredArticle, 'digest'> & { readonly article: Pick<Article, 'id' | 'url'> };

export interface DeletedInHistoryOptions {
  readonly place: CommittedFolder;
  /** Reads a former text of an article's file, whose path is relative to the site's folder; undefined if it is malformed. */
  decode(path: string, text: string): Promise<HeldText | undefined>;
  /** Whether an article with this id exists. */
  isThere(id: string): boolean;
}

/** How many files are read by one git command. */
const CHUNK = 500;

/**
 * Returns the delivered articles whose files were removed, as far back as the clone's history goes: their catalog ids and last
 * URLs.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function deletedInHistory(options: DeletedInHistoryOptions) {
  const { place, decode, isThere } = options;
  const { repository, folder, inSite } = place;
  const urls = new Map<string, string>();
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  const removed = [
    ...(await uncommittedRemovals(repository, folder)),
    ...(await removedIn(repository, folder)),
  ];
  for (let start = 0; start < removed.length; start += CHUNK) {
    const files = removed.slice(start, start + CHUNK);
    const texts = await contentsOf(
      repository,
      files.map(({ before }) => before),
    );
    for (const { path, before } of files) {
      const held = await decode(inSite(path), texts.get(before)?.toString('utf8') ?? '');
      if (held?.digest === undefined) continue; // not an article, or not delivered
      const id = catalogId(held.article.id);
      if (!isThere(id) && !urls.has(id)) urls.set(id, held.article.url);
    }
  }
  return [...urls].map(([id, url]) => ({ id, url }));
}

/** Returns the files below a folder that HEAD has and the work tree lacks. */
async function uncommittedRemovals({ git }: Repository, folder: string): Promise<TreeChange[]> {
  const where = folder === '' ? [] : ['--', folder];
  const command = ['diff-index', '-z', '--raw', '--no-renames', '--diff-filter=D', 'HEAD', ...where];
  return changesIn((await git(command, { timeoutMs: LIMIT_MS })).stdout);
}

/** Returns the committed removals of files below a folder, latest first. */
async function removedIn({ git }: Repository, folder: string): Promise<TreeChange[]> {
  const limit = { timeoutMs: LIMIT_MS };
  const format = '--format=%H%n%s%n%(trailers:key=Delivery-Timestamp,valueonly)';
  const { stdout } = await git(['log', '-z', format, 'HEAD'], limit);
  // Comparing two trees takes time in proportion to the folder, so skip commits of deliveries: most commits are such, and they
  // remove nothing.
  const input = stdout.split('\0').flatMap((one) => {
    const [commit = '', subject = '', delivered = ''] = one.split('\n');
    return delivered !== '' && /^(?:Publish|Update): /.test(subject) ? [] : [`${commit}\n`];
  });
  const what = ['-r', '-z', '--no-commit-id', '--raw', '--find-renames', '--diff-filter=D'];
  const where = folder === '' ? [] : ['--', folder];
  const command = ['diff-tree', '--stdin', ...what, ...where];
  return changesIn((await git(command, { ...limit, input: input.join('') })).stdout);
}
