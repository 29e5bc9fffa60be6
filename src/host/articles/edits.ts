import type { Article } from '../../article/article.js';
import type { ArticleReader, Articles, ListedArticle, SettableState } from './articles.js';
import type { ArticleFinder } from './search.js';
import type { ArticleTrash, Editor } from './trash.js';

/** The fields of an article that a person can edit. */
export interface ArticleFields {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** Absolute URL of the featured image; null for none. */
  readonly image: string | null;
  /** Markdown, or HTML if `EditableArticle.bodyKind` says so. */
  readonly body: string;
}

/** An article as a person edits it. */
export interface EditableArticle extends ListedArticle {
  /** The content of the text field. */
  readonly editable: string;
  readonly bodyKind: 'markdown' | 'html';
  /** Whether a person has changed its file by hand since it was stored. */
  readonly edited: boolean;
  /** Whether its text contains a person's template code, which runs only in the file; then the text can only be changed there. */
  readonly locked: boolean;
  /** The reason why its public URL is not certain, as the end of a sentence; undefined if it is certain. */
  readonly uncertain?: string | undefined;
  /** When it expires, ISO 8601; undefined if it does not. */
  readonly expires?: string | undefined;
}

/** Two versions of an article, compared. */
export interface Comparison {
  /** Whether the pieces are lines, both equal and different ones. Otherwise they are the two whole texts. */
  readonly isByLine: boolean;
  readonly pieces: readonly {
    readonly kind: 'same' | 'old' | 'new';
    /** Its text, as HTML that shows it. */
    readonly html: string;
  }[];
}

/** An article that is not stored. */
export interface DraftFile {
  /** Its file, relative to the site's folder. */
  readonly path: string;
  /** The content of that file. */
  readonly text: string;
  readonly article: Article;
  /** The HTML of its text. */
  readonly html: string;
}

/** A version of an article: the current one, one in a commit, or one in a file below `.pressmark/replaced/`. */
export interface ArticleRevision {
  /** Null if the commit removed the file, or the file is not a readable article. */
  readonly revision: string | null;
  readonly current: boolean;
  /** Whether its text is a person's: stored or reverted in the admin, or edited in the file. */
  readonly isOfPerson: boolean;
  /** ISO 8601; null for a current version that is in no commit. */
  readonly date: string | null;
  /** Undefined if unknown. */
  readonly author: Editor | undefined;
  /** The first line of the commit's message. */
  readonly subject: string;
  /** Null if it is in no commit. */
  readonly commit: string | null;
  /** The file that holds it, relative to the site's folder, if no commit does. */
  readonly keptIn: string | null;
}

/**
 * The actions of people on articles in an admin. `by` is the author of the commit. Each change is durable when its promise
 * resolves.
 */
export interface ArticleEdits {
  /** An article as a person edits it, or undefined. */
  open(id: string): Promise<EditableArticle | undefined>;
  /**
   * Stores a person's edit: a new revision, a commit, a build. From then on, an update based on an earlier revision is answered
   * 409.
   *
   * @param base the revision that the person has seen. If it is an edit of the file by hand, that text is committed, or kept in
   *   `.pressmark/replaced/`, before it is replaced.
   * @param fields the changed fields; fields that are left out stay as they are.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if the article is at another revision, and nothing is changed;
   *   BODY_INVALID if a field is invalid; STORE_FAILED, COMMIT_FAILED, …
   */
  edit(id: string, base: string, fields: Partial<ArticleFields>, by: Editor): Promise<Article>;
  /**
   * Stores an article that a person has written, like a delivery, under a new id.
   *
   * @param fields.state `held`: the article is not shown yet. @default 'live'
   * @param fields.key 16 hexadecimal digits, which become the end of the id: an article that is sent again with the same key is
   *   not stored twice.
   * @default random digits
   * @throws PressmarkError BODY_INVALID; REVISION_CONFLICT if another text is stored under the key, USAGE if that article was
   *   removed; what `receive` throws.
   */
  create(
    fields: ArticleFields & {
      readonly key?: string;
      readonly slug?: string;
      readonly state?: 'live' | 'held';
    },
    by: Editor,
  ): Promise<{ readonly id: string; readonly url: string }>;
  /**
   * The article that these fields would make. Nothing is stored.
   *
   * @param id the article; undefined for a new one.
   * @throws PressmarkError ARTICLE_NOT_FOUND, BODY_INVALID.
   */
  draft(fields: ArticleFields, id?: string): Promise<DraftFile>;
  /**
   * Like `setState`, by a person.
   *
   * @param base the revision that the person has seen.
   * @throws PressmarkError REVISION_CONFLICT if the article is at another revision, unless it is in this state already.
   */
  setStateBy(
    id: string,
    base: string,
    state: SettableState,
    at: string | undefined,
    by: Editor,
  ): Promise<Article>;
  /**
   * The versions of an article, newest first.
   *
   * @param most the number of versions to return. @default all
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, GIT_FAILED.
   */
  history(id: string, most?: number): Promise<readonly ArticleRevision[]>;
  /** The article as it was at a revision. @param revision or the beginning of its commit. @throws PressmarkError ARTICLE_NOT_FOUND, USAGE. */
  at(id: string, revision: string): Promise<Article>;
  /**
   * The differences between two versions. If they are very long or very different, or the comparison takes too long, they are
   * not compared by line.
   */
  compare(before: ArticleFields, after: ArticleFields): Promise<Comparison>;
  /**
   * The text fields of a form that may hold a whole article; see `formIn`.
   *
   * @param type the form's Content-Type.
   * @throws PressmarkError BODY_INVALID.
   */
  formFields(type: string, body: Uint8Array): Promise<Readonly<Record<string, string | readonly string[]>>>;
  /** Escapes texts for HTML, for texts that may be as long as an article. */
  escaped(texts: readonly string[]): Promise<readonly string[]>;
  /**
   * Restores the content of an earlier version, as a new revision. Id, URL and date stay.
   *
   * @param base the revision that the person has seen.
   * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT; USAGE if nothing would change.
   */
  revert(id: string, revision: string, base: string, by: Editor): Promise<Article>;
}

/** All that a receiver's plugins can do with articles. */
export type HostArticles = Articles & ArticleEdits & ArticleFinder & ArticleTrash;

/** The methods that change articles. */
export type ArticleChanges = Omit<HostArticles, keyof ArticleReader>;
