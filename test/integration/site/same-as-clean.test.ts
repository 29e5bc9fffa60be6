import test from 'ava';
import { fc, runs } from '../../support/property.js';
import { buildEach, FILTERS, sequence } from './changing-site.js';
import { testSite } from './test-site.js';

test('after any sequence of changes the output is what a clean full build makes, byte by byte', async (t) => {
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const { built, clean } = await buildEach(
        testSite(t, { settings: { toc: 2 }, filters: FILTERS }),
        steps,
      );
      t.deepEqual(built, clean);
    }),
    // Shrinking a failure takes far longer than many cases.
    { numRuns: runs(6), endOnFailure: runs(6) > 50 },
  );
});
