import fs from 'node:fs';
import { hostileArticles } from './articles.js';
import type { WorkingCopy } from './working-copy.js';

/**
 * Makes so many posts of a site's own that each hostile article can replace one.
 *
 * @param copied posts that name neither a slug nor a whole address.
 * @returns their files.
 */
export function addPosts(copy: WorkingCopy, copied: readonly string[]): string[] {
  const title = /^(\s*"?title"?\s*[:=]\s*["']?)/m;
  return hostileArticles('canary').map((_, index) => {
    const number = index + 1;
    const original = copied[number % copied.length] ?? '';
    const file = original.replace(/(?=\.[a-z]+$)/, `-${number}`);
    fs.writeFileSync(copy.path(file), copy.read(original).replace(title, `$1${number} times `));
    return file;
  });
}
