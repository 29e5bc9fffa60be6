import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Content } from '../outputs/output.js';
import type { StagedFile } from '../write/staged-file.js';
import type { BuildWriter } from '../write/writer.js';

/** One broken template breaks every page: so many different messages are logged, each once. */
const MOST_MESSAGES = 5;

/** What a build has done. Compressed variants count with their texts, but for `files`. */
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
  readonly ms: number;
}

/** What makes a file; undefined where there is nothing to be put now. */
export type Made =
  | Content
  | { readonly staged: StagedFile }
  /** The size of what stands there already and is the same. */
  | { readonly unchangedSize: number }
  /** A compressed variant, and the checksum of the file that it was made of. */
  | { readonly variant: Content; readonly source: number }
  | undefined;

/** One build: what it has made, and what went wrong. */
export type BuildSession = ReturnType<typeof createBuildSession>;

/**
 * A session that has built nothing yet.
 *
 * @param start when it began, by the steady clock.
 */
export function createBuildSession(writer: BuildWriter, start = performance.now()) {
  /** The sizes of what was made; some files are made twice, as what they show has changed meanwhile. */
  const sizes = new Map<string, number>();
  const failed = new Set<string>();
  const failures = new Map<string, { readonly page: string; pages: number; readonly error: unknown }>();
  const changed = new Set<string>();
  let [bytes, written, removed, failedTimes] = [0, 0, 0, 0];

  /**
   * Makes a file's content and puts it in its place. A failure is this one's alone: the old file stays.
   *
   * @returns whether it was done.
   */
  async function build(file: string, make: () => Made | Promise<Made>): Promise<boolean> {
    try {
      const made = await make();
      if (made === undefined) return false;
      const files = put(file, made);
      note(files);
      failed.delete(file);
      if (typeof made === 'object' && 'variant' in made) return true;
      const size = sizeOf(made);
      bytes += size - (sizes.get(file) ?? 0);
      sizes.set(file, size);
      if (files.length > 0) written++;
      return true;
    } catch (error) {
      failed.add(file);
      fail(file, error);
      return false;
    }
  }

  function put(file: string, made: Exclude<Made, undefined>): readonly string[] {
    if (isContent(made)) return writer.put(file, made);
    if ('variant' in made) return writer.put(file, made.variant, made.source);
    return 'staged' in made ? writer.putStaged(file, made.staged) : [];
  }

  /** Removes a file. @returns whether it was done. */
  function remove(file: string): boolean {
    try {
      const files = writer.remove(file);
      note(files);
      if (files.includes(file)) removed++;
      return true;
    } catch (error) {
      fail(file, error);
      return false;
    }
  }

  function note(files: readonly string[]): void {
    for (const file of files) changed.add(file);
  }

  function fail(page: string, error: unknown): void {
    failedTimes++;
    const known = failures.get(messageOf(error)) ?? { page, pages: 0, error };
    known.pages++;
    failures.set(messageOf(error), known);
  }

  /** Writes to the log what went wrong. */
  function logFailures(log: Log): void {
    for (const { page, pages, error } of [...failures.values()].slice(0, MOST_MESSAGES))
      log.error({ page, pages, reason: messageOf(error) }, 'page not built; the old one stays');
    if (failures.size > MOST_MESSAGES)
      log.error(
        { reasons: failures.size, pages: failedTimes },
        'more pages were not built, for other reasons',
      );
  }

  const report = (): SessionReport => ({
    pages: sizes.size,
    bytes,
    written,
    removed,
    files: [...changed],
    failed: failedTimes,
    ms: Math.round(performance.now() - start),
  });

  return {
    build,
    remove,
    report,
    /** The files that were made, whether or not they differed; not the compressed variants. */
    built: () => [...sizes.keys()],
    /** Whether the last try to build a file has failed. */
    hasFailed: (file: string) => failed.has(file),
    logFailures,
  };
}

function isContent(made: Exclude<Made, undefined>): made is Content {
  return typeof made === 'string' || made instanceof Uint8Array;
}

function sizeOf(made: Exclude<Made, undefined | { variant: Content }>): number {
  if (isContent(made)) return Buffer.byteLength(made);
  return 'staged' in made ? made.staged.written.size : made.unchangedSize;
}
