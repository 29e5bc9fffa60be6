import fs from 'node:fs';
import type { ExecutionContext } from 'ava';
import { tryArticles } from '../../../src/app/build/trial-build.js';
import { loadSettings } from '../../../src/config/load.js';
import { hostileArticles } from './articles.js';
import type { WorkingCopy } from './working-copy.js';

/** How many texts the trial sends, each of which is to replace a post. */
const texts = () => hostileArticles('canary').length;

/**
 * Makes so many posts of a site's own that each hostile text can replace one.
 *
 * @param copied posts that name neither a slug nor a whole address.
 */
export function addPosts(copy: WorkingCopy, copied: readonly string[]): void {
  const title = /^(\s*"?title"?\s*[:=]\s*["']?)/m;
  for (let number = 1; number <= texts(); number++) {
    const file = copied[number % copied.length] ?? '';
    fs.writeFileSync(
      copy.path(file.replace(/(?=\.[a-z]+$)/, `-${number}`)),
      copy.read(file).replace(title, `$1${number} times `),
    );
  }
}

/**
 * Does what `doctor --build` does, but updates every post of a person's: each hostile text, in Markdown and in HTML, in a new
 * article, in an update of an article and in an update of a post.
 */
export async function checkTrial(t: ExecutionContext, copy: WorkingCopy): Promise<void> {
  const settings = await loadSettings(copy.dir, {}, copy.env());
  const { faults, articles, posts } = await tryArticles(settings, { mostPosts: Number.POSITIVE_INFINITY });
  t.deepEqual(faults, []);
  t.true(articles > texts(), `${articles} articles for ${texts()} texts`);
  t.true(posts >= texts(), `${posts} posts for ${texts()} texts`);
}
