import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Builder, createBuilder } from '../../../src/site/builder/builder.js';
import { createRandom } from '../../support/random.js';
import { beforeDiskChanges, killBuilds, outputOf } from '../../support/site-kills.js';
import { tempDir } from '../../support/temp-dir.js';
import { builtAnew, type TestSite, testSite } from './test-site.js';

/** Changes four articles, of which one is new, and removes one. @returns their paths. */
function change(site: TestSite, session: number): string[] {
  const removed = `articles/a${19 + session}.md`;
  fs.rmSync(join(site.options.content.root, removed), { force: true });
  const written = [3, 5, 6, 20 + session].map((n) =>
    site.write(`a${n}`, {
      date: `2026-01-${10 + ((n + session) % 19)}T08:00:00Z`,
      title: `Round ${session}`,
      tags: [`t${(n + session) % 4}`],
    }),
  );
  return [...written, removed];
}

/**
 * Builds what has changed, but the disk takes no more than so many of its own, as if the process were killed then.
 *
 * @returns how many changes of the disk there were, with those that were not made.
 */
async function buildUntil(builder: Builder, paths: readonly string[], most: number): Promise<number> {
  let changes = 0;
  const restore = beforeDiskChanges(() => {
    changes++;
    if (changes > most) throw new Error('the process is dead');
  });
  try {
    // Pages that cannot be written are failures of their own; the end of the build is one of the whole.
    await builder.build(paths).catch(() => undefined);
  } finally {
    restore();
  }
  return changes;
}

// Serial: all tests of a process share node:fs.
test.serial(
  'wherever a build ends before its time, the next one completes the work and leaves no orphan',
  async (t) => {
    const site = testSite(t, { pageSize: 2 });
    for (let n = 1; n <= 6; n++)
      site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z`, tags: [`t${n % 3}`] });
    let builder = createBuilder(site.options);
    await builder.build('all');
    const all = await buildUntil(builder, change(site, 0), Number.POSITIVE_INFINITY);
    t.deepEqual(outputOf(site), await builtAnew(site.options));

    const random = createRandom('the end of a build');
    const places = [0, 1, ...[0.1, 0.4, 0.7].map((share) => Math.floor((share + random.next() * 0.3) * all))];
    for (const [index, place] of places.entries()) {
      const session = index + 1;
      t.true(
        (await buildUntil(builder, change(site, session), place)) > place,
        `change ${place} is not made`,
      );
      await builder.close();
      // What it was about to build is another thing by the time that somebody starts again.
      if (session % 2 === 1) fs.rmSync(join(site.options.content.root, `articles/a${20 + session}.md`));

      builder = createBuilder(site.options);
      t.is((await builder.build('all')).failed, 0);
      t.deepEqual(outputOf(site), await builtAnew(site.options), `after ${place} of ${all} changes`);
    }
    t.log(`${all} changes, ended at ${places.join(', ')}`);
  },
);

test('after a builder was killed the next one gets the lock and completes the work', async (t) => {
  const random = createRandom('a killed build');
  let during = 0;
  // A kill may come after the end of the build.
  for (let kill = 0; kill < 20 && during === 0; kill++)
    during += (await killBuilds(tempDir(t), random, (kills) => kills === 1)).during;
  t.true(during >= 1);
});
