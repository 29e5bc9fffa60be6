import fs from 'node:fs';
import type { WorkingCopy } from './working-copy.js';

/**
 * Makes posts of a site's own, so that each hostile article can replace one.
 *
 * @param copied posts that name neither a slug nor a whole address.
 * @returns their files.
 */
export function addPosts(copy: WorkingCopy, copied: readonly string[], count: number): string[] {
  const title = /^(\s*"?title"?\s*[:=]\s*["']?)/m;
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const original = copied[number % copied.length] ?? '';
    const file = original.replace(/(?=\.[a-z]+$)/, `-${number}`);
    fs.writeFileSync(copy.path(file), copy.read(original).replace(title, `$1${number} times `));
    return file;
  });
}
