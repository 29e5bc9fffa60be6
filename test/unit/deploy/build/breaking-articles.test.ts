import test from 'ava';
import { findBreakingArticles } from '../../../../src/deploy/build/breaking-articles.js';
import { fc, runs } from '../../../support/property.js';

/** A build that stops at the first of these articles that it has; counts its runs. */
function brokenBy(broken: readonly string[]) {
  const build = { runs: 0, without: (_: ReadonlySet<string>) => Promise.resolve<string | undefined>('') };
  build.without = async (excluded) => {
    build.runs++;
    const at = broken.find((path) => !excluded.has(path));
    return at === undefined ? undefined : reasonOf(at);
  };
  return build;
}

const reasonOf = (path: string) => `stopped at number ${/\d*(?=\.md$)/.exec(path)?.[0]}`;

const paths = Array.from({ length: 25 }, (_, n) => `posts/article-${String(n).padStart(2, '0')}.md`);

test('an article that the build names is found by one build', async (t) => {
  const build = brokenBy(['posts/article-17.md']);
  const guilty = await findBreakingArticles(paths, 'error in /tmp/x/posts/article-17.md:3:1', build.without);
  t.deepEqual(guilty, new Map([['posts/article-17.md', 'error in /tmp/x/posts/article-17.md:3:1']]));
  t.is(build.runs, 1);
});

test('an article that the build does not name is found by letting the others in', async (t) => {
  const build = brokenBy(['posts/article-17.md']);
  const guilty = await findBreakingArticles(paths, 'error', build.without);
  t.deepEqual(guilty, new Map([['posts/article-17.md', 'stopped at number 17']]));
  t.true(build.runs <= 11, String(build.runs));
});

test('a site that is broken without its new articles has no guilty article', async (t) => {
  const { without } = brokenBy(['posts/by-hand-99.md']);
  t.is(await findBreakingArticles(paths, 'error', without), 'stopped at number 99');
  t.is(await findBreakingArticles([], 'error', without), 'error');
});

test('of posts that are called index.md, only the one in the named folder is tried first', async (t) => {
  const build = brokenBy(['b/index.md']);
  await findBreakingArticles(
    ['a/index.md', 'b/index.md', 'c/index.md'],
    'in content/b/index.md',
    build.without,
  );
  t.is(build.runs, 1);
});

test('exactly the articles that break the build are found, however many there are, each with its own reason', async (t) => {
  const some = fc.subarray(paths, { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(some, fc.subarray(paths), async (broken, named) => {
      const printed = [reasonOf(broken[0] ?? ''), ...named].join('\n');
      const build = brokenBy(broken);
      const guilty = await findBreakingArticles(paths, printed, build.without);
      t.true(build.runs <= 2 + 6 * broken.length, `${build.runs} builds for ${broken.length} articles`);
      const expected = new Map(broken.map((path) => [path, reasonOf(path)]));
      if (typeof guilty === 'string') return t.fail(guilty);
      t.deepEqual(new Map([...guilty].map(([path, reason]) => [path, reason.split('\n')[0]])), expected);
    }),
    { numRuns: runs(100) },
  );
});
