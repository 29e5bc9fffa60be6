import test from 'ava';
import { letIn } from '../../../../src/deploy/build/breaking-articles.js';
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

test('exactly the articles that break the build are found, however many there are, each with its own reason', async (t) => {
  const some = fc.subarray(paths, { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(some, async (broken) => {
      const printed = reasonOf(broken[0] ?? '');
      const build = brokenBy(broken);
      const breaking = await letIn(paths, printed, build.without);
      t.true(build.runs <= 1 + 10 * broken.length, `${build.runs} builds for ${broken.length} articles`);
      const expected = new Map(broken.map((path) => [path, reasonOf(path)]));
      t.deepEqual(breaking, expected);
    }),
    { numRuns: runs(100) },
  );
});
