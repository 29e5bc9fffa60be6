import test from 'ava';
import type { SiteOutput } from '../../../../src/host/pages/outputs.js';
import { planAll, reservedFiles } from '../../../../src/site/outputs/outputs.js';
import type { Planner, Sources } from '../../../../src/site/outputs/planner.js';

test('no article has its page where the site or a plugin has files, at the top of the site and without regard to case', (t) => {
  const places = ['a+b.txt', 'Decks/', ''];
  const isReserved = reservedFiles(
    places.map((path) => ({ plugin: 'test', output: { path } as SiteOutput })),
  );
  for (const file of ['tags/x/index.html', 'A+B.txt', 'a+b.txt/index.html', 'decks/x.html', 'decks.html'])
    t.true(isReserved(file), file);
  for (const file of ['a/index.html', 'aab.txt', 'articles/decks/index.html', 'decksx/index.html'])
    t.false(isReserved(file), file);
});

test('the first of two planners that have the same file makes it', (t) => {
  const planner =
    (text: string): Planner =>
    () => [{ path: 'a.txt', key: text, render: () => text }];
  const planned = [...planAll([planner('first'), planner('second')], {} as Sources)];
  t.deepEqual(
    planned.map(({ key }) => key),
    ['first'],
  );
});
