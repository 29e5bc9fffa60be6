import { stat } from 'node:fs/promises';
import { relative } from 'node:path';

/** Lock files that were not released in time; see `createStuckLocks`. */
export interface StuckLocks {
  /**
   * Remembers the first of these lock files that is there.
   *
   * @returns that file; undefined where none is there any more.
   */
  remember(paths: readonly string[]): Promise<string | undefined>;
  /** The first remembered lock file that is still the same; what is gone or has changed since is forgotten. */
  find(): Promise<string | undefined>;
}

/**
 * Remembers lock files that a killed git has left, so that nobody waits for one of them a second time. A lock that was
 * released and taken again counts as another one.
 */
export function createStuckLocks(): StuckLocks {
  const stamps = new Map<string, string>();

  async function remember(paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) {
      const stamp = await stampOf(path);
      if (stamp === undefined) continue;
      stamps.set(path, stamp);
      return path;
    }
    return undefined;
  }

  async function find(): Promise<string | undefined> {
    for (const [path, stamp] of stamps) {
      if ((await stampOf(path)) === stamp) return path;
      stamps.delete(path);
    }
    return undefined;
  }

  return { remember, find };
}

/** The obstacle to commits while a lock file is there, as the end of a sentence that begins with "waits for". */
export function lockRelease(path: string, commonDir: string): string {
  return `another program to let go of .git/${relative(commonDir, path)}; if no git command is running, remove it`;
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, ctimeNs } = await stat(path, { bigint: true });
    return `${dev} ${ino} ${ctimeNs}`;
  } catch {
    // gone: nothing is to be waited for
    return undefined;
  }
}
