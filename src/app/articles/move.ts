import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type MovedUrl, readList, redirectLists } from '../../article/address/redirect-lists.js';
import { reasonOf } from '../../article/front-matter/read.js';
import type { StoredUrl } from '../../article/stored-article.js';
import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError } from '../../errors.js';
import { discard, makeDurableDirectory, writeAtomically } from '../../fs/atomic-write.js';
import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { readHead } from '../../git/commit/head.js';
import { identityOf, identityVariables } from '../../git/identity.js';
import { openRepository, type Repository } from '../../git/repository.js';
import { statusOf } from '../../git/status.js';
import type { Log } from '../../log.js';
import { walk } from '../../store/catalog/scan.js';
import { prepareStateFolder } from '../../store/open-articles.js';
import { contentOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { commitOnly } from '../plugins/commit-file.js';
import { originOf, runningReceivers } from '../running-receivers.js';
import { type FileWithUrl, filesWithUrl, isElsewhere } from './stored-urls.js';

/** The result of `pressmark move`. */
export interface Moved {
  /** Each article's old and new URL, including those of an interrupted earlier run. */
  readonly urls: readonly MovedUrl[];
  /** The commit; null if the files are not in git. */
  readonly commit: string | null;
  /** The lists of old and new addresses; absolute paths. */
  readonly lists: readonly string[];
  /** Uncommitted files of an interrupted earlier run; relative to the site's folder. */
  readonly left: readonly string[];
}

/** An article and its new URL. */
interface PlannedMove extends MovedUrl {
  /** Below the content folder. */
  readonly path: string;
  /** The present text of the file. */
  readonly before: string;
  /** The text with the new URL. */
  readonly after: string;
}

/** The folder of the lists, below the state folder. */
const FOLDER = 'moved';

/** How long git may take for a large site on a slow disk, in milliseconds. */
const GIT_MS = 10 * 60_000;

/**
 * Rewrites the URLs of all articles for a new address of the site, in one commit. Ids and revisions stay, and a person's edits
 * stay edits. The list of addresses is on the disk before the first file changes, so that an interrupted run can be finished by
 * running it again.
 *
 * @throws PressmarkError what `planMove` throws; USAGE if git is in the middle of another operation; LOCK_TIMEOUT;
 *   STORE_FAILED.
 */
export async function moveSite(settings: Settings, to: string, log: Log): Promise<Moved> {
  const { stateDir } = foldersOf(settings);
  await refuseRunning(settings);
  await prepareStateFolder(stateDir, log);
  const lock = createLock({ directory: stateDir, helper: findLockHelper() });
  // Under the lock, no receiver stores anything meanwhile.
  await lock.enter();
  try {
    await refuseRunning(settings); // One may have started while the lock was waited for.
    for (const _ of walk(contentOf(settings), discard)); // what an interrupted run has left
    const moves = planMove(settings, to);
    const earlier = movedBefore(settings, to, moves);
    const urls = [...earlier, ...moves].map(({ file, old, new: url }) => ({ file, old, new: url }));
    const repository = await repositoryOf(settings);
    const { paths, left } =
      repository === undefined ? { paths: [], left: [] } : await committable(repository, moves, earlier);
    const lists = redirectLists(urls).map(({ name, text }) => ({ path: join(stateDir, FOLDER, name), text }));
    if (moves.length > 0) {
      await makeDurableDirectory(join(stateDir, FOLDER));
      for (const { path, text } of lists) await writeAtomically(path, text);
    }
    for (const move of moves) await rewrite(settings, move);
    const message = `Move: ${moves.length === 1 ? '1 article' : `${moves.length} articles`} to ${to}\n`;
    return {
      urls,
      commit: repository && paths.length > 0 ? await commit(settings, repository, paths, message) : null,
      lists: lists.map(({ path }) => path).filter(existsSync),
      left,
    };
  } finally {
    lock.leave();
    lock.close();
  }
}

async function refuseRunning(settings: Settings): Promise<void> {
  const [receiver] = await runningReceivers(settings);
  if (receiver === undefined) return;
  throw refuse(
    `a receiver of this site is running (process ${receiver.pid}, ${originOf(receiver)}), which would go on answering the old URLs; stop it first`,
  );
}

function refuse(why: string): PressmarkError {
  return new PressmarkError('USAGE', `nothing was moved: ${why}`);
}

/**
 * Plans the move of a site to another address. An article keeps its path below the site's address.
 *
 * @param to the new address, without a trailing slash.
 * @throws PressmarkError USAGE if two articles would get one URL; ARTICLE_UNREADABLE if a file cannot be rewritten.
 */
export function planMove(settings: Settings, to: string): PlannedMove[] {
  const moved = { ...settings, siteUrl: to };
  const { format } = contentOf(moved);
  const files = [...filesWithUrl(moved)];
  const wanted = files.filter(({ stored }) => isElsewhere(stored, to));
  const pathOf = pathsBelow(wanted, settings.articles.permalink);
  const moves = wanted.map(({ file, path, text, stored }): PlannedMove => {
    const url = `${to}${pathOf(stored)}`;
    try {
      const after = format.withStoredUrl(text, path, url);
      return { file, path, old: stored.url, new: url, before: text, after };
    } catch (cause) {
      const why = `nothing was moved: ${file}: ${reasonOf(cause)}`;
      throw new PressmarkError('ARTICLE_UNREADABLE', why, { cause });
    }
  });
  refuseClashes(files, moves);
  return moves.filter((move) => move.old !== move.new);
}

/**
 * The path of an article below the site's address: from its file's pin, or from the permalink pattern. If neither tells, the
 * address of another article is assumed.
 */
function pathsBelow(files: readonly FileWithUrl[], permalink: string): (stored: StoredUrl) => string {
  const pattern = permalinkEnd(permalink);
  const own = ({ url, address }: StoredUrl) =>
    address === undefined ? pattern.exec(url)?.[1] : url.slice(0, -address.length);
  const bases = new Set(files.flatMap(({ stored }) => own(stored) ?? []));
  // With a URL of an older pattern, such as `/articles/:slug/`, the present pattern may count a part of the path as the
  // address.
  const shortestFirst = [...bases].toSorted((one, other) => one.length - other.length);
  return ({ url, address }) => {
    const base = shortestFirst.find((one) => url.startsWith(`${one}/`)) ?? new URL(url).origin;
    return address ?? url.slice(base.length);
  };
}

/** Matches a URL that ends like the permalink pattern, and captures the part before. */
function permalinkEnd(permalink: string): RegExp {
  const parts = permalink
    .split(/:(slug|year|month|day)\b/)
    .map((part, index) => (index % 2 === 1 ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^(https?://[^?#]+?)${parts.join('')}$`);
}

function refuseClashes(files: readonly FileWithUrl[], moves: readonly PlannedMove[]): void {
  const target = new Map(moves.map(({ path, new: url }) => [path, url]));
  const taken = new Map<string, string>();
  for (const { path, file, stored } of files) {
    const url = target.get(path) ?? stored.url;
    const canonical = canonicalUrl(url) ?? url;
    const other = taken.get(canonical);
    if (other !== undefined && target.size > 0)
      throw refuse(`${other} and ${file} would both have the URL ${url}`);
    taken.set(canonical, file);
  }
}

/** The articles that an interrupted move to the same address has already moved. */
function movedBefore(settings: Settings, to: string, moves: readonly MovedUrl[]): MovedUrl[] {
  const list = join(foldersOf(settings).stateDir, FOLDER, 'urls.csv');
  if (!existsSync(list)) return [];
  const now = new Map([...filesWithUrl(settings)].map(({ file, stored }) => [file, stored.url]));
  const planned = new Set(moves.map(({ file }) => file));
  return readList(readFileSync(list, 'utf8')).filter(
    (row) => row.new.startsWith(`${to}/`) && now.get(row.file) === row.new && !planned.has(row.file),
  );
}

/** The repository for the move's commit; undefined if the site is not committed. */
async function repositoryOf(settings: Settings): Promise<Repository | undefined> {
  if (settings.git === false) return undefined;
  const repository = await openRepository(settings.dir, settings.environment, { timeoutMs: GIT_MS });
  if (repository.kind === 'none') return undefined;
  const head = await readHead(repository);
  if (head.kind === 'not now') throw refuse(`git waits for ${head.waitingFor}; finish that first`);
  return repository;
}

/**
 * Sorts the moved files by what git knows of them.
 *
 * @returns `paths`: the files to commit, from the top of the work tree. `left`: uncommitted files of an interrupted run, which
 *   a person may have edited since.
 */
async function committable(
  repository: Repository,
  moves: readonly MovedUrl[],
  earlier: readonly MovedUrl[],
): Promise<{ readonly paths: string[]; readonly left: string[] }> {
  const { git, prefix } = repository;
  const tracked = new Set((await git(['ls-files', '-z'])).stdout.split('\0'));
  const { files: changed } = await statusOf(repository, [], { untracked: false });
  const changedOf = (urls: readonly MovedUrl[]) =>
    urls.map(({ file }) => file).filter((file) => changed.has(`${prefix}${file}`));
  const uncommitted = changedOf(moves);
  if (uncommitted.length > 0)
    throw refuse(
      `${uncommitted.slice(0, 5).join(', ')}${uncommitted.length > 5 ? ` and ${uncommitted.length - 5} more` : ''} ${uncommitted.length === 1 ? 'has' : 'have'} uncommitted changes; commit them first, so that the move gets a commit of its own`,
    );
  const paths = moves.map(({ file }) => `${prefix}${file}`).filter((path) => tracked.has(path));
  return { paths, left: changedOf(earlier) };
}

async function commit(
  settings: Settings,
  repository: Repository,
  paths: readonly string[],
  message: string,
): Promise<string> {
  const { author, sign = false } = typeof settings.git === 'object' ? settings.git : {};
  const variables = identityVariables(await identityOf(repository.git, author));
  return commitOnly(repository, paths, message, variables, sign);
}

/** Skips a file that has changed since it was read; the next run reads it again. */
async function rewrite(settings: Settings, { file, before, after }: PlannedMove): Promise<void> {
  const target = realpathSync(join(settings.dir, file));
  if (readFileSync(target, 'utf8') !== before)
    throw new PressmarkError(
      'STORE_FAILED',
      `${file} was changed while the site was being moved; run pressmark move again`,
    );
  await writeAtomically(target, after, statSync(target).mode);
}
