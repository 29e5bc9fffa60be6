import type { Log } from '../../log.js';
import type { Content } from '../outputs/output.js';
import type { StagedFile } from '../write/staged-file.js';
import type { Writer } from '../write/writer.js';
import { createFailures } from './failures.js';

/** What a build has done. */
export interface SessionReport {
  /** Pages and other files made, whether or not they differed. */
  readonly pages: number;
  /** What they hold. */
  readonly bytes: number;
  readonly written: number;
  readonly removed: number;
  /** The files that were written or removed. */
  readonly files: readonly string[];
  readonly failed: number;
}

/** One build: what it has made, and what went wrong. */
export interface BuildSession {
  report(): SessionReport;
  /** The same with its time. @param start by the steady clock. */
  reportSince(start: number): SessionReport & { readonly ms: number };
  /** Whether this session has tried to build a file, and failed. */
  hasFailed(file: string): boolean;
  /**
   * Makes a file's content and puts it in its place. A failure is this one's alone: the old file stays.
   *
   * @param make gives undefined where there is nothing to be put now.
   * @returns whether it was done.
   */
  build(file: string, make: () => Made | Promise<Made>): Promise<boolean>;
  /** Removes a file. */
  remove(file: string): Promise<boolean>;
  /** Writes to the log what went wrong. */
  tell(log: Log): void;
}

/** What makes a file: its content, a staged file of it, or the size of what stands there already and is the same. */
export type Made = Content | Drafted | undefined;

type Drafted = { readonly staged: StagedFile } | { readonly standing: number };

/** A session that has built nothing yet. */
export function createBuildSession(output: Writer): BuildSession {
  /** The sizes of what was made; some files are made twice, as what they show has changed meanwhile. */
  const sizes = new Map<string, number>();
  const failed = new Set<string>();
  const failures = createFailures();
  const changed = new Set<string>();
  let [bytes, written, removed] = [0, 0, 0];

  async function build(file: string, make: () => Made | Promise<Made>): Promise<boolean> {
    failed.add(file);
    const done = await failures.attempt(file, async () => {
      const made = await make();
      if (made === undefined) return false;
      const size = sizeOf(made);
      bytes += size - (sizes.get(file) ?? 0);
      sizes.set(file, size);
      if (isPut(file, made)) {
        written++;
        changed.add(file);
      }
      return true;
    });
    if (done !== undefined) failed.delete(file);
    return done ?? false;
  }

  function isPut(file: string, made: Content | Drafted): boolean {
    if (typeof made === 'string' || made instanceof Uint8Array) return output.put(file, made);
    return 'staged' in made && output.putStaged(file, made.staged);
  }

  async function remove(file: string): Promise<boolean> {
    const done = await failures.attempt(file, () => {
      if (output.remove(file)) {
        removed++;
        changed.add(file);
      }
      return true;
    });
    return done ?? false;
  }

  const report = () => ({
    pages: sizes.size,
    bytes,
    written,
    removed,
    files: [...changed],
    failed: failures.count,
  });
  return {
    report,
    reportSince: (start) => ({ ...report(), ms: Math.round(performance.now() - start) }),
    hasFailed: (file) => failed.has(file),
    build,
    remove,
    tell: failures.report,
  };
}

function sizeOf(made: Content | Drafted): number {
  if (typeof made === 'string') return Buffer.byteLength(made);
  if ('standing' in made) return made.standing;
  return 'staged' in made ? made.staged.written.size : made.byteLength;
}
