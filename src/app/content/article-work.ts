import type { EncodedFile, NewArticle } from '../../article/format/encode.js';
import type { StoredArticle } from '../../article/stored-article.js';
import type { problemOf } from '../../deploy/live/page-problem.js';
import type { ErrorCode, PressmarkErrorOptions } from '../../errors.js';
import type { ArticleEdits, ArticleFields } from '../../host/articles/edits.js';
import type { TextWork } from '../../store/catalog/content-folder.js';
import type { readDelivery, readJson } from '../../webhook/events/read-delivery.js';
import type { readIncoming } from '../../webhook/events/read-incoming.js';
import type { apart, compared } from '../articles/compare-articles.js';
import type { Entered } from '../articles/person-form.js';
import type { ContentSettings } from './content.js';

/** What the thread of articles is started with. */
export type ThreadSettings = ContentSettings & {
  /** For how long an article may wait for its turn, in milliseconds. */
  readonly limitMs: number;
  /** The config file with the definition of the generator, whose functions cannot be handed to a thread. */
  readonly definedIn?: string | undefined;
};

/** What the thread can do. */
export interface ThreadWork extends Omit<TextWork, 'encode'> {
  readonly encode: (article: NewArticle, path: string) => NewFile;
  readonly readDelivery: typeof readDelivery;
  readonly readIncoming: typeof readIncoming;
  readonly readJson: typeof readJson;
  readonly pageProblem: typeof problemOf;
  /** See `editableText`. */
  readonly editable: (stored: StoredArticle) => string;
  /** See `readEntered`. @param now the article as it is; undefined for a new one. */
  readonly form: (entered: Partial<ArticleFields>, now: StoredArticle | undefined) => Entered;
  readonly compared: typeof compared;
  readonly apart: typeof apart;
  readonly formFields: ArticleEdits['formFields'];
  /** Texts as HTML that shows them. */
  readonly escaped: (texts: readonly string[]) => readonly string[];
}

/** The same from another thread. */
export type AskedWork = {
  readonly [Kind in keyof ThreadWork]: (
    ...args: Parameters<ThreadWork[Kind]>
  ) => Promise<Awaited<ReturnType<ThreadWork[Kind]>>>;
};

/** A new article's file without what of the article the asker has already. */
export interface NewFile extends Omit<EncodedFile, 'article'> {
  readonly revision: string;
  /** Undefined if it is stored as it came. */
  readonly body?: string;
}

/** What the thread is asked. */
export interface Work {
  readonly kind: keyof ThreadWork;
  readonly args: Parameters<ThreadWork[keyof ThreadWork]>;
  /** See `steadyMs`. */
  readonly askedAt: number;
}

/** What the thread answers, in the order in which it was asked. */
export type Answer =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly options: PressmarkErrorOptions;
    }
  /** An error that is not one of ours. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** What the one thread has sent cannot be read by the other, as it is nested thousands of levels deep. */
  | { readonly kind: 'unreadable' };

/** What comes from the thread; first of all, that it is ready. */
export type Outcome = Answer | { readonly kind: 'ready' };

/** The time by a clock that all threads of a process share and nobody sets, in milliseconds. */
export function steadyMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
