import fs from 'node:fs';

/** A file's identity, size and time, to detect changes since it was read. */
export interface Fingerprint {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Returns the fingerprint in a file's status. */
export function fingerprintOf({ ino, size, mtimeMs }: fs.Stats): Fingerprint {
  return { ino, size, mtimeMs };
}

/** Whether two fingerprints belong to the same, unchanged file. */
export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/**
 * Returns a text that changes whenever the file at a path changes or is replaced; undefined if it does not exist or cannot be
 * read. Synchronous, as the call is faster than a switch to another thread.
 */
export function versionAt(path: string): string | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  } catch {
    return undefined;
  }
}
