import fs from 'node:fs';
import type { TestFn } from 'ava';
import { tryArticles } from '../../../src/app/trial-build.js';
import { loadSettings } from '../../../src/config/load.js';
import { hostileArticles } from './articles.js';
import type { SiteUnderTest } from './drop-in.js';
import { checkOut } from './working-copy.js';

/**
 * Registers the test that updates a post of a person's with each hostile text, in Markdown and in HTML. So many posts are
 * made of those in `copied`: files that name neither a slug nor a whole address.
 */
export function tryOwnPosts(test: TestFn, site: SiteUnderTest, copied: readonly string[]): void {
  test.serial('no text in an update of a post by hand runs as a template or breaks the build', async (t) => {
    const copy = checkOut(site);
    t.teardown(copy.remove);
    const texts = hostileArticles('canary').length;
    for (let number = 1; number <= texts; number++) {
      const file = copied[number % copied.length] ?? '';
      const title = /^(\s*"?title"?\s*[:=]\s*["']?)/m;
      fs.writeFileSync(
        copy.path(file.replace(/(?=\.[a-z]+$)/, `-${number}`)),
        copy.read(file).replace(title, `$1${number} times `),
      );
    }
    copy.install();
    for (const args of [['init', '--yes'], ['urls']]) {
      const { code, stderr } = await copy.pressmark(...args);
      t.is(code, 0, stderr);
    }
    const settings = await loadSettings(copy.dir, {}, copy.env());
    const { faults, posts } = await tryArticles(settings, { mostPosts: Number.POSITIVE_INFINITY });
    t.deepEqual(faults, []);
    t.true(posts >= texts, `${posts} posts for ${texts} texts`);
  });
}
