import type fs from 'node:fs';

/** What tells that a file is still the one that was read. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The stamp in a file's status. */
export function stampOf({ ino, size, mtimeMs }: fs.Stats): Stamp {
  return { ino, size, mtimeMs };
}
