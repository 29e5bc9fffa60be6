import type { Article } from '../../article/article.js';

/** An article's file on its way to the files that all receivers share. */
export interface SharedWrite {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The whole text of the file that is replaced; null for a new file. */
  readonly replaces: string | null;
  /** What the text holds. */
  readonly article: Article;
  /** Nothing is begun for it after this moment, by `performance.now()`. */
  readonly deadline: number;
  /**
   * Whether the decision to write it still holds. It is asked just before the write is tried, when all is known that
   * was fetched from other receivers; only where it holds, the write is tried.
   */
  isCurrent(): boolean;
  /** Called once the write is stored, before any caller that waits goes on. */
  accepted(): void;
}

/** The paths below the content folder that other receivers have changed; the value is the content's name, or undefined where the file is gone. */
export type SharedChanges = ReadonlyMap<string, string | undefined>;

/** Takes over changes: all files when they are opened, and each change of others before any caller that waits for it goes on. */
export type OnFetched = (
  changes: SharedChanges,
  files: Pick<SharedFiles, 'names' | 'texts'>,
) => Promise<void>;

/** The content folder that all receivers of a site share. The store knows nothing else of the place where it lies. */
export interface SharedFiles {
  /** The files, by path below the content folder; the value names the content: the same name, the same text. */
  readonly names: ReadonlyMap<string, string>;
  texts(paths: Iterable<string>): Promise<Map<string, string>>;
  /**
   * Stores a file for all receivers. When this resolves, the file is in the work tree too, unless a person's file is in
   * the way there.
   *
   * @throws PressmarkError OUTDATED where `isCurrent` no longer holds: nothing was stored, and the decision must be made
   *   again. If the error has a cause, the end of an earlier attempt is unknown: the write may have been stored, and the
   *   change that outdates it may be based on it. REMOTE_DECLINED; REMOTE_UNAVAILABLE, and it may be stored nevertheless.
   */
  store(write: SharedWrite): Promise<void>;
  /**
   * Resolves when all that any receiver had acknowledged at the time of the call is in `names` and was handed over.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  refresh(): Promise<void>;
}
