import type { RawChange } from './trees.js';

/** A commit as `git log -z --raw` tells of it. */
export interface LoggedCommit {
  /** What the format asked for, in its order. */
  readonly fields: readonly string[];
  readonly changes: readonly RawChange[];
}

/** The format for `parseLog`: each of these placeholders, ended by NUL. */
export function logFormat(...placeholders: string[]): string {
  return `--format=${placeholders.map((placeholder) => `%${placeholder}%x00`).join('')}`;
}

/**
 * Reads what `git log -z --raw --no-abbrev` prints with such a format. The first field must be the commit's
 * name, which can begin like no line of a diff.
 */
export function parseLog(output: string, placeholders: number): LoggedCommit[] {
  const commits: LoggedCommit[] = [];
  const parts = output.split('\0');
  for (let at = 0; at + placeholders < parts.length; ) {
    const fields = parts.slice(at, at + placeholders);
    at += placeholders + 1; // an empty one ends the commit's own
    const changes: RawChange[] = [];
    for (; parts[at]?.trimStart().startsWith(':'); at += 2) {
      const [, , oldBlob = '', newBlob = ''] = parts[at]?.trimStart().split(' ') ?? [];
      changes.push({ path: parts[at + 1] ?? '', oldBlob, newBlob });
    }
    commits.push({ fields, changes });
  }
  return commits;
}
