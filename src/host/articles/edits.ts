import type { Article } from '../../article/article.js';
import type { ArticleReader, Articles, ListedArticle, SettableState } from './articles.js';
import type { ArticleFinder } from './search.js';
import type { ArticleTrash, Editor } from './trash.js';

/** What a person writes in an article. */
export interface ArticleFields {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** Absolute URL of the featured image; null for none. */
  readonly image: string | null;
  /** Markdown; HTML where `EditableArticle.bodyKind` says so. */
  readonly body: string;
}

/** An article as a person edits it. */
export interface EditableArticle extends ListedArticle {
  /** What stands in the field for the text. */
  readonly editable: string;
  readonly bodyKind: 'markdown' | 'html';
  /** Whether a person has changed its file by hand since it was stored. */
  readonly edited: boolean;
  /** Why its text can be changed in its file alone, as the end of a sentence; undefined if it can be changed here. */
  readonly locked?: string | undefined;
  /** Why its public URL is not certain, as the end of a sentence; undefined if it is. */
  readonly uncertain?: string | undefined;
  /** When it expires, ISO 8601; undefined if it does not. */
  readonly expires?: string | undefined;
}

/** Two versions of an article, compared. */
export interface Comparison {
  /** Whether the pieces are the lines that differ, and those between; else they are one text and the other. */
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
  /** What would stand in it. */
  readonly text: string;
  readonly article: Article;
  /** The HTML that it would be shown with. */
  readonly html: string;
}

/** A version of an article: the current one, one in a commit, or one in a file below `.pressmark/replaced/`. */
export interface ArticleRevision {
  /** Null if the commit has removed the file, or no article can be read from it. */
  readonly revision: string | null;
  readonly current: boolean;
  /** Whether it has a text that a person has stored in the admin or put back, or has edited in the file. */
  readonly isOfPerson: boolean;
  /** ISO 8601; null for a current version that is in no commit. */
  readonly date: string | null;
  /** Undefined if unknown. */
  readonly author: Editor | undefined;
  /** The first line of the commit's message. */
  readonly subject: string;
  /** Null if it is in no commit. */
  readonly commit: string | null;
  /** The file that has it, relative to the site's folder, where no commit does. */
  readonly keptIn: string | null;
}

/** What people do with articles in an admin; the commit's author is `by`. Each is durable when it resolves. */
export interface ArticleEdits {
  /** An article as a person edits it, or undefined. */
  open(id: string): Promise<EditableArticle | undefined>;
  /**
   * Stores a person's edit: a new revision, a commit, a build. An update that was made from an earlier revision is
   * answered 409 from now on.
   *
   * @param base the revision that the person has seen, also that of an edit of the file by hand; such a text is committed,
   *   or kept in `.pressmark/replaced/`, before it is replaced.
   * @param fields what is to be different; what is not named stays.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if the article is at another revision: nothing is
   *   changed; BODY_INVALID if a field is not what it must be; STORE_FAILED, COMMIT_FAILED, …
   */
  edit(id: string, base: string, fields: Partial<ArticleFields>, by: Editor): Promise<Article>;
  /**
   * Stores an article that a person has written, as a delivery would be stored, with an id of its own.
   *
   * @param fields.state `held` does not show it yet. @default 'live'
   * @param fields.key 16 hexadecimal digits that are the end of its id: sent again with the same ones, it is not stored twice.
   *   @default random ones
   * @throws PressmarkError BODY_INVALID; REVISION_CONFLICT if another text is stored under the key, USAGE if that was
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
   * What an article would be with these fields: nothing is stored.
   *
   * @param id the article; undefined for a new one.
   * @throws PressmarkError ARTICLE_NOT_FOUND, BODY_INVALID.
   */
  draft(fields: ArticleFields, id?: string): Promise<DraftFile>;
  /**
   * As `setState`, by a person.
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
   * @param most the newest, so many. @default all
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, GIT_FAILED.
   */
  history(id: string, most?: number): Promise<readonly ArticleRevision[]>;
  /** The article as it was at a revision. @param revision or the beginning of its commit. @throws PressmarkError ARTICLE_NOT_FOUND, USAGE. */
  at(id: string, revision: string): Promise<Article>;
  /** What is different between two versions. Versions that are long or very different, or take too long, are not compared by line. */
  compare(before: ArticleFields, after: ArticleFields): Promise<Comparison>;
  /**
   * The texts in a form that may have an article in it, as `formIn` reads them.
   *
   * @param type the form's Content-Type.
   * @throws PressmarkError BODY_INVALID.
   */
  formFields(type: string, body: Uint8Array): Promise<Readonly<Record<string, string | readonly string[]>>>;
  /** Texts as HTML that shows them, for those that may be as long as an article. */
  escaped(texts: readonly string[]): Promise<readonly string[]>;
  /**
   * Puts the content of an earlier version back, as a new revision. Id, URL and date stay.
   *
   * @param base the revision that the person has seen.
   * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT; USAGE where nothing would change.
   */
  revert(id: string, revision: string, base: string, by: Editor): Promise<Article>;
}

/** All that a receiver's plugins can do with articles. */
export type HostArticles = Articles & ArticleEdits & ArticleFinder & ArticleTrash;

/** What changes articles. */
export type ArticleChanges = Omit<HostArticles, keyof ArticleReader>;
