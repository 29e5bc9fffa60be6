import type { CommitKind } from '../commit/message.js';
import type { Cause } from './pending-commit.js';

/** The commit that a file's content is to get, or why it gets none. */
export type Decision =
  /** Git has it. */
  | { readonly kind: 'present' }
  | { readonly kind: 'commit'; readonly as: CommitKind }
  | { readonly kind: 'none'; readonly why: string; readonly isWorthAWarning: boolean };

/** The names of a file's content and of what git has at its path. */
export interface BlobFacts {
  readonly cause: Cause;
  /** The content as a blob, byte for byte. */
  readonly raw: string;
  /** The content as a blob after git's filters. */
  readonly blob: string;
  /** The blob at the path in the parent commit; undefined for none. */
  readonly before: string | undefined;
}

/**
 * The decision for a file, as far as the names of contents make it: git has it; or the file holds what was delivered,
 * which gets a commit with the message of the delivery. Else `decideByText` decides.
 */
export function decideByBlob({ cause, raw, blob, before }: BlobFacts): 'present' | 'delivered' | 'undecided' {
  if (blob === before) return 'present';
  return cause.kind === 'delivered' && cause.blob === raw ? 'delivered' : 'undecided';
}

/** The facts for `decideByText`. */
export interface TextFacts {
  readonly cause: Cause;
  /** The front matter's facts; undefined where the file is not an article. */
  readonly file: { readonly pristine: boolean; readonly commit: Exclude<CommitKind, 'Edit'> } | undefined;
  /** Whether an update waits that replaces the file. */
  readonly isReplaced: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  /** Whether the branch had this very content at this path earlier. */
  readonly wasCommitted: boolean;
  /** Whether the text was made from an older version than the branch has: the history has the version with its digest. */
  readonly isStale: boolean;
  /** The same, as recorded when the branch followed the remote and left the file alone. */
  readonly isRecordedStale: boolean;
}

const COMMIT_YOURSELF = 'git diff shows both, commit what is to stay';
const STALE_BY_PUSH = `your edit is not committed: others have pushed a newer version than the one it was made from; ${COMMIT_YOURSELF}`;
const STALE = `your edit is not committed: it was made from an older version than HEAD has; ${COMMIT_YOURSELF}`;

/** The decision for a file that holds neither what git has nor what was delivered last. */
export function decideByText(facts: TextFacts): Decision {
  const { cause, file, isReplaced, commitEdits, wasCommitted, isStale, isRecordedStale } = facts;
  if (file === undefined) return none('it is not an article');
  // The owner has restored this text, or has removed the file from git.
  if (wasCommitted) return { kind: 'present' };
  if (isRecordedStale) return none(STALE_BY_PUSH, true);
  if (file.pristine) return { kind: 'commit', as: file.commit };
  if (isReplaced) return { kind: 'commit', as: 'Edit' };
  if (!commitEdits) return none('people’s edits are theirs to commit');
  // The person may be in the middle of saving; an edit has its own moment.
  if (cause.kind === 'delivered' && cause.isEdited !== true) return none('the file was edited meanwhile');
  if (isStale) return none(STALE, true);
  return { kind: 'commit', as: 'Edit' };
}

function none(why: string, isWorthAWarning = false): Decision {
  return { kind: 'none', why, isWorthAWarning };
}
