import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { StoredArticle } from '../../article/stored-article.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { replacedFiles } from '../../git/commit/replaced-texts.js';
import { checkContentFolder, type FolderInGit } from '../../git/content-folder.js';
import { historyOf } from '../../git/history.js';
import { commitAt, contentsOf, entriesAt } from '../../git/objects.js';
import { openRepository } from '../../git/repository.js';
import { type ContentFolder, type ReadFile, readArticleSync } from '../../store/catalog/content-folder.js';
import type { Entry } from '../../store/catalog/entry.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { findArticle } from './find-article.js';

/** An earlier or the current version of an article, in a commit or in a file below `.pressmark/replaced/`. */
export interface Revision {
  /** The revision token; null if the commit removed the file, or it cannot be read as an article. */
  readonly revision: string | null;
  /** Null for a text that an update replaced before git had it. */
  readonly commit: string | null;
  /** The file with such a text, relative to the site's folder; null for a commit. */
  readonly keptIn: string | null;
  /** When it was committed or replaced, ISO 8601. */
  readonly date: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly subject: string;
  /** Whether the article is at this revision now. */
  readonly current: boolean;
  /** The article as it was; undefined if `revision` is null. */
  readonly stored?: StoredArticle;
}

/** An article and its versions, newest first. */
export interface ArticleHistory {
  readonly entry: Pick<Entry, 'id' | 'url' | 'path'>;
  /** Relative to the site's folder. */
  readonly file: string;
  /** The file as it is now. */
  readonly now: Pick<ReadFile, 'stored'>;
  readonly revisions: readonly Revision[];
}

/**
 * The history of the article that `name` means.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, FRONT_MATTER_INVALID; USAGE where nothing is in git.
 */
export async function articleHistory(settings: Settings, name: string): Promise<ArticleHistory> {
  const entry = await findArticle(settings, name);
  const content = contentOf(settings);
  const history = await historyOfFile(settings, content, entry, readArticleSync(content, entry.path));
  if (history.withoutGit === undefined) return history;
  const what = `git has no history of ${quote(history.file, 200)}: ${history.withoutGit}`;
  throw new PressmarkError('USAGE', `${what}; only what is committed has revisions`);
}

/** The content folder in the site's repository, or why git does not have it. */
export async function contentInGit(settings: Settings): Promise<FolderInGit> {
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return { kind: 'refused', why: repository.because };
  return checkContentFolder(repository, contentPrefix(settings));
}

/**
 * The history of an article's file.
 *
 * @param most the newest commits, so many; all where it is undefined.
 * @returns `withoutGit`: why git has no versions of it; then those that were kept are all there are.
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOfFile(
  settings: Settings,
  content: ContentFolder,
  entry: ArticleHistory['entry'],
  now: ArticleHistory['now'],
  most?: number,
): Promise<ArticleHistory & { readonly withoutGit?: string }> {
  const file = `${contentPrefix(settings)}${entry.path}`;
  const kept = await keptRevisions(settings, content, entry.path, file);
  const place = await contentInGit(settings);
  if (place.kind === 'refused') return { entry, file, now, revisions: kept, withoutGit: place.why };
  const { repository } = place;
  const current = now.stored.article.revision;
  const revisions: Revision[] = [];
  const commits = await historyOf(repository, `${place.folder}${entry.path}`, most);
  const texts = await contentsOf(
    repository,
    commits.flatMap(({ blob }) => blob ?? []),
  );
  for (const commit of commits) {
    const stored = await decoded(content, entry.path, texts.get(commit.blob ?? '')?.toString('utf8'));
    const revision = stored?.article.revision ?? null;
    const { author, seconds } = commit;
    revisions.push({
      revision,
      commit: commit.commit,
      keptIn: null,
      date: new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z'),
      author,
      subject: commit.subject,
      current: revision === current && revisions.every((other) => !other.current),
      ...(stored !== undefined && { stored }),
    });
  }
  return { entry, file, now, revisions: byTime(kept, revisions) };
}

/**
 * The article as a commit has it, in a file of the present name: this takes the same time however long the history is.
 *
 * @returns undefined if there is no such commit, or if the article is not in it.
 * @throws PressmarkError GIT_FAILED.
 */
export async function versionInCommit(
  settings: Settings,
  content: ContentFolder,
  { id, path }: Pick<ArticleHistory['entry'], 'id' | 'path'>,
  commit: string,
): Promise<StoredArticle | undefined> {
  const place = await contentInGit(settings);
  if (place.kind === 'refused' || (await commitAt(place.repository, commit)) === null) return undefined;
  const { repository } = place;
  const file = `${place.folder}${path}`;
  const blob = (await entriesAt(repository, commit, [file])).get(file)?.id;
  const [text] = blob === undefined ? [] : (await contentsOf(repository, [blob])).values();
  const stored = await decoded(content, path, text?.toString('utf8'));
  return stored?.article.id === id ? stored : undefined;
}

/**
 * Puts the kept texts between the commits by their times. The commits keep their order, whatever their times say: a
 * rebase keeps the authors' times, and clocks differ.
 */
function byTime(kept: readonly Revision[], commits: readonly Revision[]): Revision[] {
  const merged = [...commits];
  for (const one of kept.toReversed()) {
    const at = merged.findIndex(({ date }) => Date.parse(date) <= Date.parse(one.date));
    merged.splice(at === -1 ? merged.length : at, 0, one);
  }
  return merged;
}

/** The texts of an article that updates replaced before git had them, newest first. */
async function keptRevisions(
  settings: Settings,
  content: ContentFolder,
  path: string,
  file: string,
): Promise<Revision[]> {
  const { stateDir } = foldersOf(settings);
  const files = replacedFiles(stateDir, file);
  const kept = await Promise.all(
    files.map(async (name) => {
      const absolute = join(stateDir, name);
      const stored = await decoded(content, path, await readFile(absolute, 'utf8'));
      const keptIn = relative(settings.dir, absolute).split(sep).join('/');
      const { mtime } = await stat(absolute);
      return {
        revision: stored?.article.revision ?? null,
        commit: null,
        keptIn,
        date: mtime.toISOString().replace(/\.\d+Z$/, 'Z'),
        author: { name: '', email: '' },
        subject: `not committed; replaced by an update, kept in ${keptIn}`,
        current: false,
        ...(stored !== undefined && { stored }),
      };
    }),
  );
  return kept.sort((a, b) => Date.parse(b.date) - Date.parse(a.date));
}

async function decoded(
  content: ContentFolder,
  path: string,
  text: string | undefined,
): Promise<StoredArticle | undefined> {
  if (text === undefined) return undefined;
  try {
    return await content.codec.decode(text, path);
  } catch {
    // somebody has committed a file that was not an article then
    return undefined;
  }
}

/** Whether the article's file holds something that no commit has. */
export function isUncommitted({ revisions }: ArticleHistory): boolean {
  return revisions.every(({ current }) => !current);
}
