import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import type { StoredFile } from '../stored-file.js';
import type { NotNow } from './head.js';
import type { Person } from './identity.js';
import type { Authored } from './import.js';
import type { IndexLocker } from './index-lock.js';

/** A stored text that shall have its commit. */
export interface CommitRequest {
  /** From the top of the work tree. */
  readonly path: string;
  /** The file's whole text, or the blob that the repository has of it already. */
  readonly content: string | { readonly blob: string };
  /** The whole commit message. */
  readonly message: string;
  /**
   * What the branch was like about when the text was stored: the commit that HEAD was at (null before the
   * first), or the blob at the path (undefined where there was none).
   */
  readonly before: string | null | { readonly blob: string | undefined };
  /** Who wrote it and when, where that is neither Pressmark nor now. */
  readonly authored?: Authored;
  /** A person's text: it is left alone if they have staged it, as they are about to commit it then. */
  readonly isEdit?: boolean;
  /** Whether another receiver has it before it, too. */
  readonly isOthers?: boolean;
  /** Whether an update has replaced this text in its file. */
  readonly isReplaced?: boolean;
  /** What the start-up check has found in the file: an update may have been committed over it since. */
  readonly isFound?: boolean;
}

/** What became of a batch: the commit of each request, undefined where the branch had it already. */
export type BatchResult = { readonly commits: readonly (string | undefined)[] } | NotNow;

/** What a batch needs beside its requests. */
export interface CommitContext {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly log: Log;
  readonly author?: Person;
  /** Whether an answer waits for the commits. @default false */
  readonly urgent?: boolean;
  /** Whether people's edits are committed too. @default false */
  readonly commitEdits?: boolean;
  /** The blob that this process has committed last at each path. */
  readonly lastCommitted: Pick<Map<string, string>, 'get' | 'set'>;
  /** Reads a text that an article's file has held; undefined where it is malformed. */
  readonly decode: (path: string, text: string) => Pick<StoredFile, 'digest' | 'pristine'> | undefined;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
}
