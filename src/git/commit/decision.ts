import type { Why } from './pending.js';

/** Why a file that no article can be read from gets no commit. */
export const NO_ARTICLE = 'it is not an article';

/** What `decide` knows of a file that differs from the branch or not. */
export interface Facts {
  readonly why: Why;
  /** Whether git has what the file holds. */
  readonly isInGit: boolean;
  /** Whether no person has edited it; undefined where it is not an article. */
  readonly isPristine: boolean | undefined;
  /** Whether the owner has staged something at its path. */
  readonly isStaged: boolean;
  /** Another path at which its article is committed; undefined for none. */
  readonly committedAs: string | undefined;
  readonly commitEdits: boolean;
}

/** Whether a file gets a commit, needs none, or is for its owner to commit. */
export type Decision =
  | { readonly kind: 'present' }
  | { readonly kind: 'commit' }
  | { readonly kind: 'theirs'; readonly because: string };

/** What was delivered is committed; what a person has done is theirs to commit, unless they want it committed. */
export function decide({ why, isInGit, isPristine, isStaged, committedAs, commitEdits }: Facts): Decision {
  if (isInGit) return { kind: 'present' };
  if (isPristine === undefined) return theirs(NO_ARTICLE);
  if (committedAs !== undefined) return theirs(`git has it as ${committedAs}: the rename is yours to commit`);
  if (isPristine && why === 'stored') return { kind: 'commit' };
  if (isStaged) return theirs('you have staged it');
  if (isPristine || why === 'replaced') return { kind: 'commit' };
  if (commitEdits && why !== 'stored') return { kind: 'commit' };
  return theirs('people’s edits are theirs to commit');
}

function theirs(because: string): Decision {
  return { kind: 'theirs', because };
}
