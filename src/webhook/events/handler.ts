import type { ContractHeader, Delivery } from '../../contract/envelope.js';
import type { ArticleChange } from '../../host/hooks/hook-types.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { IncomingArticle } from '../../host/http/adapter.js';
import type { Jobs } from '../../host/jobs/jobs.js';
import type { Log } from '../../log.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { ArticleCodec } from '../../store/catalog/content-folder.js';
import type { KnownIds } from '../../store/known-ids.js';
import type { StoredFile } from '../../store/write/writer.js';
import type { ReadArticle } from './read-incoming.js';

/** The context for handlers of events. */
export interface HandlerContext {
  readonly store: ArticleStore;
  /** The ids of all articles that were ever stored, to recognise deleted ones. */
  readonly knownIds: Pick<KnownIds, 'urlOfDeleted' | 'add'>;
  /** How old the timestamp of a new article may be, in milliseconds; undefined for any age. */
  readonly maxAgeMs: number | undefined;
  /** Reads deliveries in another thread; see the function of this name. */
  readonly readDelivery: (body: Buffer, contract: ContractHeader) => Promise<Delivery>;
  readonly readIncoming: (incoming: IncomingArticle, now: string) => Promise<ReadArticle>;
  readonly codec: Pick<ArticleCodec, 'keepComments'>;
  /** Makes the slug of a new article; undefined if the suggestion is used as it is. */
  readonly slug: ((suggestion: string, title: string, id: string) => string) | undefined;
  readonly hooks: Hooks;
  /** Notes an article for the jobs of plugins before it is stored. */
  readonly noteJobs?: Jobs['noteArticle'];
  readonly log: Log;
  /** Whether a front matter key is Pressmark's own, which plugins may not set. */
  isOwnKey(key: string): boolean;
  /** A stored file in the form for actions. */
  changeOf(stored: StoredFile): Pick<ArticleChange, 'article' | 'path' | 'text' | 'replaced'>;
}

/** The result of a handler; always a 200. */
export interface Handled {
  readonly id: string;
  readonly outcome: string;
  /** The answer, or its JSON if that exists already. */
  readonly body: object | string;
  /** Runs after the answer has gone out. */
  readonly afterAnswer?: () => Promise<void>;
}
