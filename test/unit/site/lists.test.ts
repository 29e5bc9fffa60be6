import test from 'ava';
import fc from 'fast-check';
import { changedPages, type ListPage, listPaths } from '../../../src/site/lists.js';
import { createSeries, type Piece, type Series } from '../../../src/site/series.js';
import { piece } from './piece.js';

const PAGE_SIZE = 20;

function shown({ path, items, newer, older }: ListPage): [string, string] {
  return [path, JSON.stringify([items, newer, older])];
}

function pagesOf(series: Series): Map<string, string> {
  return new Map([...changedPages('/', series, { from: 0, touched: new Set() }, PAGE_SIZE)].map(shown));
}

test('building only the changed pages of a list leaves what building all of them makes', (t) => {
  const change = fc.record({ time: fc.nat(120), version: fc.nat(3), remove: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
      fc.nat(100),
      (rounds, size) => {
        const series = createSeries();
        const present = new Map<number, Piece>();
        const swap = (time: number, after: Piece | undefined) => {
          series.swap(present.get(time), after);
          if (after === undefined) present.delete(time);
          else present.set(time, after);
        };
        for (let time = 0; time < size; time++) swap(time, piece(time));
        const pages = pagesOf(series);
        series.takeChanges();
        for (const round of rounds) {
          for (const { time, version, remove } of round)
            swap(time, remove ? undefined : piece(time, version));
          for (const page of changedPages('/', series, series.takeChanges(), PAGE_SIZE))
            pages.set(...shown(page));
          const paths = new Set(listPaths('/', series.items.length, PAGE_SIZE));
          for (const path of pages.keys()) if (!paths.has(path)) pages.delete(path);
          t.deepEqual(Object.fromEntries(pages), Object.fromEntries(pagesOf(series)));
        }
      },
    ),
    { numRuns: 60 },
  );
});
