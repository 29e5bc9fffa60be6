import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isOfPerson } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { replacedFiles } from '../../git/commit/replaced-texts.js';
import { type CommittedFolder, checkContentFolder, type FolderInGit } from '../../git/content-folder.js';
import { historyOf } from '../../git/history.js';
import { commitAt, contentsOf, entriesAt } from '../../git/objects.js';
import { openRepository } from '../../git/repository.js';
import type { ArticleRevision } from '../../host/articles/edits.js';
import { type ContentFolder, readArticleSync } from '../../store/catalog/content-folder.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { findArticle } from './find-article.js';

/** A version of an article, with its content; `stored` is undefined if `revision` is null. */
export type Version = ArticleRevision & { readonly stored?: StoredArticle };

/** An article and its versions, newest first. */
export interface ArticleHistory {
  /** Relative to the site's folder. */
  readonly file: string;
  /** The article as it is now. */
  readonly now: StoredArticle;
  /** Includes the current version, committed or not. */
  readonly versions: readonly Version[];
}

/**
 * The history of an article. @param name see `findArticle`.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, FRONT_MATTER_INVALID; USAGE if the site is not in git.
 */
export async function articleHistory(settings: Settings, name: string): Promise<ArticleHistory> {
  const { path } = await findArticle(settings, name);
  const content = contentOf(settings);
  const history = await historyOfFile(settings, content, path, readArticleSync(content, path).stored);
  if (history.withoutGit === undefined) return history;
  const what = `git has no history of ${quote(history.file, 200)}: ${history.withoutGit}`;
  throw new PressmarkError('USAGE', `${what}; only what is committed has revisions`);
}

/** The content folder in the site's repository, or the reason why git does not have it. */
export async function contentInGit(settings: Settings): Promise<FolderInGit> {
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return { kind: 'refused', why: repository.because };
  return checkContentFolder(repository, contentPrefix(settings));
}

/**
 * The history of an article's file.
 *
 * @param path below the content folder.
 * @param most the number of commits to read, from the newest on; undefined for all.
 * @returns `withoutGit`: the reason why git has no versions; then only kept texts are returned.
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOfFile(
  settings: Settings,
  content: ContentFolder,
  path: string,
  now: StoredArticle,
  most?: number,
): Promise<ArticleHistory & { readonly withoutGit?: string }> {
  const file = `${contentPrefix(settings)}${path}`;
  const kept = await keptVersions(settings, content, path, file);
  const place = await contentInGit(settings);
  const committed = place.kind === 'refused' ? [] : await committedVersions(place, content, path, now, most);
  const versions = byTime(kept, committed);
  const nowhere = { date: null, author: undefined, subject: '', commit: null, keptIn: null };
  const uncommitted = versions.some(({ current }) => current)
    ? []
    : [versionOf(now, { ...nowhere, current: true })];
  return {
    file,
    now,
    versions: [...uncommitted, ...versions],
    ...(place.kind === 'refused' && { withoutGit: place.why }),
  };
}

function versionOf(
  stored: StoredArticle | undefined,
  of: Omit<ArticleRevision, 'revision' | 'isOfPerson'>,
): Version {
  const revision = stored?.article.revision ?? null;
  return {
    revision,
    ...of,
    isOfPerson: stored?.edited === true || (revision !== null && isOfPerson(revision)),
    ...(stored !== undefined && { stored }),
  };
}

async function committedVersions(
  { repository, folder }: CommittedFolder,
  content: ContentFolder,
  path: string,
  now: StoredArticle,
  most: number | undefined,
): Promise<Version[]> {
  const versions: Version[] = [];
  const commits = await historyOf(repository, `${folder}${path}`, most);
  const texts = await contentsOf(
    repository,
    commits.flatMap(({ blob }) => blob ?? []),
  );
  for (const { commit, author, seconds, subject, blob = '' } of commits) {
    const stored = await decoded(content, path, texts.get(blob)?.toString('utf8'));
    const current =
      stored?.article.revision === now.article.revision && versions.every((other) => !other.current);
    const date = new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
    versions.push(versionOf(stored, { current, date, author, subject, commit, keptIn: null }));
  }
  return versions;
}

/**
 * The article in a commit, in a file of the present name. It takes the same time however long the history is.
 *
 * @returns undefined if the commit does not exist, or does not contain the article.
 * @throws PressmarkError GIT_FAILED.
 */
export async function versionInCommit(
  settings: Settings,
  content: ContentFolder,
  { id, path }: { readonly id: string; readonly path: string },
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
 * Finds a version.
 *
 * @param wanted a revision, or the beginning of a commit's name.
 * @throws PressmarkError ARTICLE_NOT_FOUND, USAGE.
 */
export function versionIn(
  { versions, file }: Pick<ArticleHistory, 'versions' | 'file'>,
  wanted: string,
): Version & { readonly stored: StoredArticle; readonly revision: string } {
  const matches = ({ revision, commit }: Version) =>
    revision === wanted || (/^[0-9a-f]{4,64}$/.test(wanted) && commit?.startsWith(wanted) === true);
  const [found, ...others] = versions.filter(matches);
  if (found === undefined)
    throw new PressmarkError(
      'ARTICLE_NOT_FOUND',
      `${file} has no revision ${quote(wanted, 100)}; pressmark log shows those it has`,
    );
  if (others.some(({ revision }) => revision !== found.revision))
    throw new PressmarkError(
      'USAGE',
      `several commits begin with ${quote(wanted)}; give more characters of the one that you mean`,
    );
  const { stored, revision } = found;
  if (stored === undefined || revision === null)
    throw new PressmarkError(
      'USAGE',
      `${found.commit?.slice(0, 10) ?? found.keptIn} has no readable text of the article; choose another revision, as pressmark log shows them`,
    );
  return { ...found, stored, revision };
}

/** Whether the article's file has uncommitted content. */
export function isUncommitted({ versions }: Pick<ArticleHistory, 'versions'>): boolean {
  return versions.some(({ current, commit }) => current && commit === null);
}

/**
 * Inserts the kept texts between the commits by time. The commits keep their order, because a rebase keeps the authors' times,
 * and clocks differ.
 */
function byTime(kept: readonly Version[], commits: readonly Version[]): Version[] {
  const timeOf = ({ date }: Version) => Date.parse(date ?? '');
  const merged = [...commits];
  for (const one of kept.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const at = merged.findIndex((other) => timeOf(other) <= timeOf(one));
    merged.splice(at === -1 ? merged.length : at, 0, one);
  }
  return merged;
}

/** The texts of an article that updates replaced before they were committed. */
function keptVersions(
  settings: Settings,
  content: ContentFolder,
  path: string,
  file: string,
): Promise<Version[]> {
  const { stateDir } = foldersOf(settings);
  return Promise.all(
    replacedFiles(stateDir, file).map(async (name) => {
      const absolute = join(stateDir, name);
      const stored = await decoded(content, path, await readFile(absolute, 'utf8'));
      const keptIn = relative(settings.dir, absolute).split(sep).join('/');
      const date = (await stat(absolute)).mtime.toISOString().replace(/\.\d+Z$/, 'Z');
      const subject = `not committed; replaced by an update, kept in ${keptIn}`;
      return versionOf(stored, { current: false, date, author: undefined, subject, commit: null, keptIn });
    }),
  );
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
    return undefined; // somebody has committed a file that was not an article then
  }
}
