import type { CommitKind } from '../commit/message.js';

/** A change that waits for its commit. */
export interface Waiting {
  /** The file, relative to the site's folder. */
  readonly path: string;
  readonly kind: CommitKind;
  /** The text that was stored; undefined where it has to be read again. */
  text: string | undefined;
  /** The name under which it is kept since an update has replaced it. */
  saved?: string;
  /** Whether somebody else may have committed it since: another receiver, or what commits before an answer. */
  readonly isOthers?: boolean;
  /** What git may call the text that the start-up check has found in the file; it is committed no other. */
  readonly seen?: readonly string[];
  /** The blob that the repository has of it already, where the text does not tell its bytes. */
  readonly blob?: string;
  /** The revision that the text is; undefined where whatever the file holds is meant. */
  readonly revision: string | undefined;
  /** The whole commit message; undefined where it is made from what the file holds. */
  readonly message: Promise<string> | undefined;
  /** The commit that HEAD was at about when the change came; undefined until somebody looked. */
  before: string | null | undefined;
}

/** A text that an update replaces. */
export interface ReplacedText {
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  /** The name under which it is kept. */
  readonly saved: string;
  /** The commit that HEAD was at: null before the first, undefined where git did not say. */
  readonly before: string | null | undefined;
  /** Undefined where that is not known, and for a person's edit. */
  readonly revision?: string | undefined;
  readonly isOthers?: boolean;
}

/** A replaced text that waits for its commit. */
export function waitingText(path: string, saved: string): Waiting {
  return { ...fileChange(path), saved };
}

/** A change of a file whose text is read when it is committed; what it is stands in it. */
export function fileChange(path: string): Waiting {
  return {
    path,
    kind: 'Update',
    text: undefined,
    revision: undefined,
    message: undefined,
    before: undefined,
  };
}

/** Whether its text can be had without reading the article's file. */
export function isAtHand({ text, saved }: Waiting): boolean {
  return text !== undefined || saved !== undefined;
}

/** How much text changes hold in memory, in characters. */
export function lengthOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}
