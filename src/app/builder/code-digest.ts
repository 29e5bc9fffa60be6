import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files whose own references are followed. */
const CODE = /\.[cm]?[jt]s$/;

/**
 * A text that may be a path from the file on, as `import`, `require`, `new URL` and `join(import.meta.dirname, …)` have it.
 * One that is none names no file.
 */
const RELATIVE = /['"`]([^'"`\n$/][^'"`\n$]{0,500})['"`]/g;

/** What `require` adds to a path; the first is nothing. */
const ENDINGS = ['', '.js', '.cjs', '.json', '/index.js'];

/** Larger files are neither code nor settings; their size and time stand for them. */
const LARGEST = 4_000_000;

/**
 * A digest of a module and of all files that it and its modules name by a path from their folder on: helper modules and
 * data files. Packages that it imports are not followed, nor paths that are put together of several names.
 */
export function codeDigest(module: string): string {
  const digests = new Map<string, string>();
  const waiting = [module];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (digests.has(path)) continue;
    const stat = statOf(path);
    if (!stat?.isFile()) continue;
    if (stat.size > LARGEST) {
      digests.set(path, `${stat.size} ${stat.mtimeMs}`);
      continue;
    }
    const bytes = fs.readFileSync(path);
    digests.set(path, hash('sha256', bytes));
    if (!CODE.test(path)) continue;
    for (const [, named = ''] of bytes.toString('utf8').matchAll(RELATIVE))
      waiting.push(...ENDINGS.map((ending) => resolve(dirname(path), named) + ending));
  }
  // Without the paths, which are others on another machine.
  return hash('sha256', JSON.stringify([...digests.values()].sort()));
}

/** Undefined where nothing is there, or the text is no path. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path);
  } catch {
    return undefined;
  }
}
