import type { Log } from '../log.js';
import type { Content, Draft } from './draft.js';
import { createFailures } from './failures.js';
import type { Output } from './output.js';

/** What a build has done. */
export interface RoundReport {
  /** Pages and other files made, whether or not they differed. */
  readonly pages: number;
  /** What they hold. */
  readonly bytes: number;
  readonly written: number;
  readonly removed: number;
  readonly failed: number;
}

/** One build: what it has made, and what went wrong. */
export interface Round {
  report(): RoundReport;
  /** Whether this round has tried to build a file. */
  hasAttempted(file: string): boolean;
  /**
   * Makes a file's content and puts it in its place. A failure is this one's alone: the old file stays.
   *
   * @param make gives undefined where there is nothing to be put now.
   * @returns whether it was done.
   */
  build(file: string, make: () => Made | Promise<Made>): Promise<boolean>;
  /** Removes a file. */
  remove(file: string): Promise<boolean>;
  /** Tells the log what went wrong. */
  tell(log: Log): void;
}

/** What makes a file: its content, a draft of it, or the size of what stands there already and is the same. */
export type Made = Content | Drafted | undefined;

type Drafted = { readonly draft: Draft } | { readonly standing: number };

/** A round that has built nothing yet. */
export function createRound(output: Output): Round {
  const attempted = new Set<string>();
  const failures = createFailures();
  let [pages, bytes, written, removed] = [0, 0, 0, 0];

  async function build(file: string, make: () => Made | Promise<Made>): Promise<boolean> {
    attempted.add(file);
    const done = await failures.attempt(file, async () => {
      const made = await make();
      if (made === undefined) {
        attempted.delete(file);
        return false;
      }
      pages++;
      bytes += sizeOf(made);
      if (isPut(file, made)) written++;
      return true;
    });
    return done ?? false;
  }

  function isPut(file: string, made: Content | Drafted): boolean {
    if (typeof made === 'string' || made instanceof Uint8Array) return output.put(file, made);
    return 'draft' in made && output.putDraft(file, made.draft);
  }

  async function remove(file: string): Promise<boolean> {
    const done = await failures.attempt(file, () => {
      if (output.remove(file)) removed++;
      return true;
    });
    return done ?? false;
  }

  return {
    report: () => ({ pages, bytes, written, removed, failed: failures.count }),
    hasAttempted: (file) => attempted.has(file),
    build,
    remove,
    tell: failures.report,
  };
}

function sizeOf(made: Content | Drafted): number {
  if (typeof made === 'string') return Buffer.byteLength(made);
  if ('standing' in made) return made.standing;
  return 'draft' in made ? made.draft.written.size : made.byteLength;
}
