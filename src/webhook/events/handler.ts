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

/** What the handlers of events are handed. */
export interface HandlerContext {
  readonly store: ArticleStore;
  /** Of all articles that were stored, to know those that were deleted. */
  readonly knownIds: Pick<KnownIds, 'urlOfDeleted' | 'add'>;
  /** How old the timestamp of a new article may be, in milliseconds; undefined for any age. */
  readonly maxAgeMs: number | undefined;
  /** What reads articles away from the thread that answers: see the functions of these names. */
  readonly readDelivery: (body: Buffer, contract: ContractHeader) => Promise<Delivery>;
  readonly readIncoming: (incoming: IncomingArticle, now: string) => Promise<ReadArticle>;
  readonly codec: Pick<ArticleCodec, 'keepComments'>;
  /** Makes the slug that is asked for; undefined if the suggestion counts as it is. */
  readonly slug: ((suggestion: string, title: string, id: string) => string) | undefined;
  readonly hooks: Hooks;
  /** Notes an article that is about to be stored for the jobs of plugins. */
  readonly noteJobs?: Jobs['noteArticle'];
  readonly log: Log;
  /** Whether plugins may not set this front matter. */
  isOwnKey(key: string): boolean;
  /** A stored file as actions get it. */
  changeOf(stored: StoredFile): Pick<ArticleChange, 'article' | 'path' | 'text' | 'replaced'>;
}

/** What a handler made of its event; always a 200. */
export interface Handled {
  readonly id: string;
  readonly outcome: string;
  /** The answer, or its JSON where that is at hand. */
  readonly body: object | string;
  /** Runs after the answer has gone out. */
  readonly afterAnswer?: () => Promise<void>;
}
