import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { Log } from '../../log.js';
import { namesOfHolders } from './lock-holders.js';
import type { LockPlaces } from './ref-update.js';

/** Lock files that were not released in time; see `createStuckLocks`. */
export interface StuckLocks {
  /**
   * Remembers the first of these lock files that is there.
   *
   * @returns that file; undefined where none is there any more.
   */
  add(paths: readonly string[]): Promise<string | undefined>;
  /** The first remembered lock file that is still the same; what is gone or has changed since is forgotten. */
  find(): Promise<string | undefined>;
}

/**
 * Remembers lock files that a killed git has left, so that nobody waits for one of them a second time. A lock that was
 * released and taken again counts as another one.
 */
export function createStuckLocks({ top, gitDir, commonDir }: LockPlaces, log: Log): StuckLocks {
  const versions = new Map<string, string>();

  async function add(paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) {
      const version = await lockVersion(path);
      if (version === undefined) continue;
      versions.set(path, version);
      const holders = await namesOfHolders([top, gitDir, commonDir], [path]);
      log.info(
        { lock: basename(path), holders },
        'a lock of git is held for long; these programs may hold it',
      );
      return path;
    }
    return undefined;
  }

  async function find(): Promise<string | undefined> {
    for (const [path, version] of versions) {
      if ((await lockVersion(path)) === version) return path;
      versions.delete(path);
    }
    return undefined;
  }

  return { add, find };
}

/** The obstacle to commits while a lock file is there, as the end of a sentence that begins with "waits for". */
export function lockRelease(path: string, commonDir: string): string {
  return `another program to let go of .git/${relative(commonDir, path)}; if no git command is running, remove it`;
}

/** Another one for each lock at a path: of a link to a token only this time is new; undefined where there is none. */
async function lockVersion(path: string): Promise<string | undefined> {
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status && `${status.ino} ${status.ctimeNs}`;
}
