import fs from 'node:fs';

/** Shows whether a file has changed since it was read. */
export interface Fingerprint {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The fingerprint in a file's status. */
export function fingerprintOf({ ino, size, mtimeMs }: fs.Stats): Fingerprint {
  return { ino, size, mtimeMs };
}

/** Whether two fingerprints are of the same, unchanged file. */
export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/**
 * Another text for each file that stands at a path, and for each change of it; undefined if nothing is there, or
 * nothing that may be seen. Not asynchronous: the system knows it, and says so in less time than a thread needs for its turn.
 */
export function versionAt(path: string): string | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  } catch {
    return undefined;
  }
}
