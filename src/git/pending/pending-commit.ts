import type { CommitKind } from '../commit/message.js';

/**
 * An article's file that git may lack. Its content is read from the file when the commit is drafted: until git has a
 * text, on the branch or parked, the article's file is its only place.
 */
export interface PendingCommit {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly cause: Cause;
}

/** Why an article's file waits for a commit. */
export type Cause =
  | Delivered
  /** A person has changed the file, and it has not changed since for a while. */
  | { readonly kind: 'edited' }
  /** `reconcile` has found the file to differ from the branch, or an update is about to replace what it holds. */
  | { readonly kind: 'found' };

/** The store has written a text. */
export interface Delivered {
  readonly kind: 'delivered';
  readonly commit: Exclude<CommitKind, 'Edit'>;
  /** The name of the file's bytes as a blob, before git's filters: whether the file still holds that text. */
  readonly blob: string;
  /** The whole commit message. */
  readonly message: Promise<string>;
  /** Whether it was written by an earlier delivery, so that a person may have renamed or staged it since. @default false */
  readonly isKnown?: boolean;
  /** Whether a person has changed the file since then, and not again for a while. @default false */
  readonly isEdited?: boolean;
}

/** The result of an attempt to commit a pending commit. */
export type Outcome =
  /** Git has the file's content in a commit: `blob` names it as it stands in git. */
  | { readonly kind: 'present' | 'committed' | 'parked'; readonly blob: string }
  /** No commit is to be made, and none will be while nothing changes. */
  | { readonly kind: 'passed over'; readonly why: string }
  /** A commit can be made later, when HEAD is on a branch again. */
  | { readonly kind: 'waiting' }
  /** Whether there is to be a commit is known later; then it is decided again. */
  | { readonly kind: 'postponed'; readonly until: Promise<unknown> }
  /** The file could not be read; tried again later. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** Whether git has a text after this outcome. */
export function isInGit(outcome: Outcome): outcome is Extract<Outcome, { readonly blob: string }> {
  return outcome.kind === 'present' || outcome.kind === 'committed' || outcome.kind === 'parked';
}
