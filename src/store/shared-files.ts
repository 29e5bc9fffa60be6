import type { Article } from '../article/article.js';

/** An article's file on its way to what all receivers share. */
export interface SharedWrite {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The whole text of the file that is replaced; null for a new file. */
  readonly replaces: string | null;
  /** What the text holds. */
  readonly article: Article;
  /** Whether it is a person's, from the work tree. @default false */
  readonly isEdit?: boolean;
  /** `SharedFiles.generation` before anything was read that the write was decided upon. */
  readonly generation: number;
  /** Nothing is begun for it after this moment, by `performance.now()`. */
  readonly deadline: number;
  /** Called once it is stored, before anybody who waits hears of anything. */
  accepted(): void;
}

/** What a file of the work tree is, beside what is shared. */
export type WorkEdit =
  /** A person's text, made from the version that is shared now. */
  | { readonly is: 'edit'; readonly text: string }
  /** Nothing that is to be shared. */
  | { readonly is: 'none' }
  /** It is looked at again later. */
  | { readonly is: 'waiting'; readonly waitingFor: string }
  /** A person's text that only a person can share. */
  | { readonly is: 'left'; readonly why: string };

/**
 * What a text says of itself: `none` where it is no person's, else whether it was made from the version that is
 * shared now.
 */
export type Lineage = 'none' | 'of-shared' | 'of-other' | 'unknown';

/**
 * The content folder as all receivers of a site share it, wherever it lies. The store knows it by this alone:
 * git's side of it is `src/git/remote-store/remote-tree.ts`.
 */
export interface SharedFiles {
  /** The files, by path below the content folder; the value names the content: the same name, the same text. */
  readonly names: ReadonlyMap<string, string>;
  /** Grows whenever something of other receivers has been taken in. */
  readonly generation: number;
  texts(paths: Iterable<string>): Promise<Map<string, string>>;
  /**
   * Stores a file for all receivers. It is in the work tree too when this resolves, unless a person's file is in
   * the way there.
   *
   * @throws PressmarkError OUTDATED where others have stored something since `generation`: nothing was stored, it
   *   is to be decided upon again, unless the error has a cause: then this may have been stored, and what was stored
   *   since may stand upon it; REMOTE_UNAVAILABLE, and it may be stored nevertheless.
   */
  store(write: SharedWrite): Promise<void>;
  /**
   * What the work tree has at a path.
   *
   * @param lineageOf asked about its text.
   */
  editAt(path: string, lineageOf: (text: string) => Promise<Lineage>): Promise<WorkEdit>;
  /**
   * Resolves when all that any receiver had acknowledged at the time of the call is in `names` and taken in.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  fresh(): Promise<void>;
  /**
   * Has `take` told of what others have changed, before anybody who waits for it goes on. Until this is called, nothing of
   * others is taken in unless somebody waits for it.
   */
  onTaken(take: (taken: ReadonlyMap<string, string | undefined>) => Promise<void>): void;
}
