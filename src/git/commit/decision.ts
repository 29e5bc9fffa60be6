import type { StoredArticle } from '../../article/stored-article.js';
import type { CommittedFolder } from '../content-folder.js';
import { contentsOf, entriesAt } from '../objects.js';
import type { Why } from './commit-queue.js';

/** Why a file that no article can be read from gets no commit. */
export const NO_ARTICLE = 'it is not an article';

/** What `decide` knows of a file that differs from the branch or not. */
export interface Facts {
  readonly why: Why;
  /** Whether git has what the file holds. */
  readonly isInGit: boolean;
  /** Whether a person has edited it; undefined if it is not an article. */
  readonly isEdited: boolean | undefined;
  /** Whether the owner has staged something at its path. */
  readonly isStaged: boolean;
  /** Another path at which its article is committed; undefined for none. */
  readonly committedAs: string | undefined;
  readonly commitEdits: boolean;
}

/** Whether a file gets a commit, needs none, or is for its owner to commit. */
export type Decision =
  | { readonly kind: 'present' }
  | { readonly kind: 'commit' }
  | { readonly kind: 'theirs'; readonly because: string };

/** What was delivered is committed; what a person has done is theirs to commit, unless they want it committed. */
export function decide({ why, isInGit, isEdited, isStaged, committedAs, commitEdits }: Facts): Decision {
  if (isInGit) return { kind: 'present' };
  if (isEdited === undefined) return theirs(NO_ARTICLE);
  if (committedAs !== undefined) return theirs(`git has it as ${committedAs}: the rename is yours to commit`);
  if (!isEdited && why === 'stored') return { kind: 'commit' };
  if (isStaged) return theirs('you have staged it');
  if (!isEdited || why === 'replaced' || why === 'trash') return { kind: 'commit' };
  if (commitEdits && why !== 'stored') return { kind: 'commit' };
  return theirs('people’s edits are theirs to commit');
}

function theirs(because: string): Decision {
  return { kind: 'theirs', because };
}

/** Where the branch has an article that is elsewhere in the work tree. */
export interface CommittedArticle {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
}

/** What `committedElsewhere` asks the store. */
export interface ArticlePaths {
  /** Reads the text of an article's file; undefined if it is malformed. */
  decode(path: string, text: string): Promise<StoredArticle | undefined>;
  /** The files of an article, relative to the site's folder. */
  pathsOf(id: string): readonly string[];
}

/**
 * Returns a function that finds another path at which a commit has an article: a person has moved its file, or copied it.
 * The first question compares all files with the commit.
 *
 * @param tip the commit; null for none.
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

  /** The articles that the commit has at paths where no file is any more, by their ids. */
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

  /** Another file of the same article that is committed. */
  async function copiedFrom(id: string, path: string): Promise<CommittedArticle | undefined> {
    const others = pathsOf(id).filter((other) => other !== path);
    const [first] = await entriesAt(repository, tip, others.map(inRepository));
    return first && { path: first[0], blob: first[1].id };
  }
}
