import test from 'ava';
import type { SiteOutput } from '../../../../src/host/pages/outputs.js';
import { type Output, planAll, type Sources } from '../../../../src/site/outputs/output.js';
import { reservedFiles } from '../../../../src/site/outputs/outputs.js';

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

test('the first of two outputs that have the same file makes it', (t) => {
  const output =
    (text: string): Output =>
    () => [{ path: 'a.txt', key: text, render: () => text }];
  const planned = [...planAll([output('first'), output('second')], {} as Sources)];
  t.deepEqual(
    planned.map(({ key }) => key),
    ['first'],
  );
});
