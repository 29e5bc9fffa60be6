import type { StoredArticle } from '../../article/stored-article.js';
import type { CommittedFolder } from '../content-folder.js';
import { contentsOf, entriesAt } from '../objects.js';

/** The committed version of an article at another path than in the work tree. */
export interface CommittedArticle {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
}

/** Access to the store, for `committedElsewhere`. */
export interface ArticlePaths {
  /** Reads the text of an article's file; undefined if it is malformed. */
  decode(path: string, text: string): Promise<StoredArticle | undefined>;
  /** The files of an article, relative to the site's folder. */
  pathsOf(id: string): readonly string[];
}

/**
 * Returns a function that finds another path at which a commit has an article, because a person has moved or copied its file.
 * Its first call compares all files with the commit.
 *
 * @param tip the commit; null before the first.
 */
export function committedElsewhere(
  { repository, folder, inRepository, inSite }: CommittedFolder,
  { decode, pathsOf }: ArticlePaths,
  tip: string | null,
) {
  let moved: ReadonlyMap<string, CommittedArticle> | undefined;

  return async (id: string, path: string): Promise<CommittedArticle | undefined> => {
    moved ??= await articlesMovedAway();
    return moved.get(id) ?? copiedFrom(id, path);
  };

  /** Returns the articles whose files are in the commit but no longer in the work tree, by id. */
  async function articlesMovedAway(): Promise<ReadonlyMap<string, CommittedArticle>> {
    const articles = new Map<string, CommittedArticle>();
    if (tip === null) return articles;
    const where = folder === '' ? [] : ['--', folder];
    const command = ['diff-index', '-z', '--name-only', '--no-renames', '--diff-filter=D', tip, ...where];
    const { stdout } = await repository.git(command);
    const gone = await entriesAt(repository, tip, stdout.split('\0').slice(0, -1));
    const texts = await contentsOf(
      repository,
      [...gone.values()].map(({ id }) => id),
    );
    for (const [path, { id: blob }] of gone) {
      const stored = await decode(inSite(path), texts.get(blob)?.toString('utf8') ?? '');
      if (stored !== undefined) articles.set(stored.article.id, { path, blob });
    }
    return articles;
  }

  /** Returns another committed file of the same article. */
  async function copiedFrom(id: string, path: string): Promise<CommittedArticle | undefined> {
    const others = pathsOf(id).filter((other) => other !== path);
    const [first] = await entriesAt(repository, tip, others.map(inRepository));
    return first && { path: first[0], blob: first[1].id };
  }
}
