import type { ContentFolder } from '../content-folder.js';
import { contentsOf, entriesAt } from '../objects.js';
import type { Repository } from '../repository.js';
import type { ArticleText } from './pending.js';

/** Where the branch has an article that is elsewhere in the work tree. */
export interface CommittedArticle {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
}

export interface CommittedElsewhereOptions {
  readonly repository: Repository;
  /** The content folder, relative to the site's folder, and where it is. */
  readonly content: string;
  readonly place: Extract<ContentFolder, { kind: 'inside' }>;
  /** Reads the text of an article's file; undefined where it is malformed. */
  decode(path: string, text: string): ArticleText | undefined;
  /** The files of an article, relative to the site's folder. */
  pathsOf(id: string): readonly string[];
}

/**
 * Returns a function that finds another path at which a commit has an article: a person has moved its file, or copied it.
 * The first question compares all files with the commit.
 *
 * @param tip the commit; null for none.
 */
export function committedElsewhere(options: CommittedElsewhereOptions, tip: string | null) {
  const { repository, content, place, decode, pathsOf } = options;
  let moved: ReadonlyMap<string, CommittedArticle> | undefined;

  return async (id: string, path: string): Promise<CommittedArticle | undefined> => {
    moved ??= await articlesMovedAway();
    return moved.get(id) ?? copiedFrom(id, path);
  };

  /** The articles that the commit has at paths where no file is any more, by their ids. */
  async function articlesMovedAway(): Promise<ReadonlyMap<string, CommittedArticle>> {
    const articles = new Map<string, CommittedArticle>();
    if (tip === null) return articles;
    const where = place.folder === '' ? [] : ['--', place.folder];
    const command = ['diff-index', '-z', '--name-only', '--no-renames', '--diff-filter=D', tip, ...where];
    const { stdout } = await repository.git(command);
    const gone = await entriesAt(repository, tip, stdout.split('\0').slice(0, -1));
    const texts = await contentsOf(
      repository,
      [...gone.values()].map(({ id }) => id),
    );
    for (const [path, { id: blob }] of gone) {
      const inSite = `${content}${path.slice(place.folder.length)}`;
      const stored = decode(inSite, texts.get(blob)?.toString('utf8') ?? '');
      if (stored !== undefined) articles.set(stored.article.id, { path, blob });
    }
    return articles;
  }

  /** Another file of the same article that is committed. */
  async function copiedFrom(id: string, path: string): Promise<CommittedArticle | undefined> {
    const others = pathsOf(id).filter((other) => other !== path);
    const inRepository = others.map((other) => `${place.folder}${other.slice(content.length)}`);
    const [first] = await entriesAt(repository, tip, inRepository);
    return first && { path: first[0], blob: first[1].id };
  }
}
