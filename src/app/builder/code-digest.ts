import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files whose own references are followed. */
const CODE = /\.[cm]?[jt]s$/;

/** A path that begins at the file, as `import`, `require`, `new URL` and reading of files have it. */
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n$]+)['"`]/g;

/** Larger files are neither code nor settings; their size and time stand for them. */
const LARGEST = 4_000_000;

/**
 * A digest of a module and of all files that it and its modules name by a relative path: helper modules and data files.
 * Packages that it imports are not followed.
 */
export function codeDigest(module: string): string {
  const digests = new Map<string, string>();
  const waiting = [module];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (digests.has(path)) continue;
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    if (stat.size > LARGEST) {
      digests.set(path, `${stat.size} ${stat.mtimeMs}`);
      continue;
    }
    const bytes = fs.readFileSync(path);
    digests.set(path, hash('sha256', bytes));
    if (!CODE.test(path)) continue;
    for (const [, named = ''] of bytes.toString('utf8').matchAll(RELATIVE))
      waiting.push(resolve(dirname(path), named));
  }
  // Without the paths, which are others on another machine.
  return hash('sha256', JSON.stringify([...digests.values()].sort()));
}
