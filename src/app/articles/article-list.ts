import { join } from 'node:path';
import { reasonOf } from '../../article/front-matter/read.js';
import { type ArticleState, type Publication, stateAt } from '../../article/publication.js';
import type { Settings } from '../../config/load.js';
import { isGone, PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { lastAuthors as lastAuthorsIn } from '../../git/history.js';
import type { Person } from '../../git/identity.js';
import { commitAt } from '../../git/objects.js';
import { filesInReview } from '../../git/push/in-review.js';
import { isUnreadable } from '../../store/catalog/content-folder.js';
import { walk } from '../../store/catalog/scan.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { reviewConfig } from '../git-settings.js';
import { contentInGit } from './history.js';

/** One article file of a site. */
export type ArticleFile = ReadableArticle | UnreadableArticle;

/** An article file that can be read. */
export interface ReadableArticle {
  readonly kind: 'article';
  /** Relative to the site's folder. */
  readonly file: string;
  /** Below the content folder. */
  readonly path: string;
  readonly id: string;
  readonly revision: string;
  readonly title: string;
  /** When it was published, ISO 8601. */
  readonly date: string;
  readonly url: string;
  readonly state: ArticleState;
  /** When it will be live, ISO 8601; only for a scheduled article. */
  readonly liveAt?: string;
  /** When it expires or expired, ISO 8601; undefined if its file has no such date. */
  readonly expiresAt?: string;
  /** Whether the URL is certain: the file pins it, or the generator has listed it. */
  readonly address: 'pinned' | 'listed' | 'unknown';
  /** Why the URL is unknown, as the end of a sentence; undefined for the others. */
  readonly reason: string | undefined;
}

/** An article file that cannot be read. */
export interface UnreadableArticle {
  readonly kind: 'unreadable';
  readonly file: string;
  readonly path: string;
  readonly reason: string;
}

/** All article files of a site, by their names. */
export function listArticles(settings: Settings): ArticleFile[] {
  const content = contentOf(settings);
  const now = Date.now();
  return [...walk(content)].toSorted().flatMap((path): ArticleFile | [] => {
    const file = `${contentPrefix(settings)}${path}`;
    try {
      const { article, address, publication } = content.format.decode(
        readText(join(content.root, path)).text,
        path,
      );
      const { id, revision, title, date, url } = article;
      const reason = address?.kind === 'unknown' ? address.reason : undefined;
      return {
        kind: 'article',
        file,
        path,
        id,
        revision,
        title,
        date,
        url,
        ...stateOf(publication, now),
        address: address?.kind ?? 'pinned',
        reason,
      };
    } catch (error) {
      if (isGone(error)) return [];
      if (!(error instanceof PressmarkError || isUnreadable(error))) throw error;
      return { kind: 'unreadable', file, path, reason: reasonOf(error) };
    }
  });
}

function stateOf(
  publication: Publication,
  now: number,
): Pick<ReadableArticle, 'state' | 'liveAt' | 'expiresAt'> {
  const state = stateAt(publication, now);
  if (publication.kind !== 'dated') return { state };
  const { from, until } = publication;
  return {
    state,
    ...(state === 'scheduled' && from !== undefined && { liveAt: new Date(from).toISOString() }),
    ...(until !== undefined && { expiresAt: new Date(until).toISOString() }),
  };
}

/**
 * The author of the last commit of each file; a file that was never committed is left out.
 *
 * @param files relative to the site's folder.
 */
export async function lastAuthors(
  settings: Settings,
  files: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  const place = await contentInGit(settings);
  return place.kind === 'refused' || files.length === 0 ? new Map() : lastAuthorsIn(place, new Set(files));
}

/**
 * The files below the content folder that wait for review: they were not on the remote's target branch when a receiver last
 * looked. Undefined if the config has no pull request, and before that look.
 *
 * @returns paths relative to the site's folder.
 */
export async function articlesInReview(settings: Settings): Promise<ReadonlySet<string> | undefined> {
  if (reviewConfig(settings) === undefined) return undefined;
  const place = await contentInGit(settings);
  if (place.kind === 'refused') return undefined;
  const files = await filesInReview(place, await commitAt(place.repository, 'HEAD'));
  return files && new Set(files.map(({ path }) => place.inSite(path)));
}
