import test from 'ava';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { fc } from '../../../support/property.js';

function entry(path: string, id: string, canonical: string | undefined): Entry {
  return {
    path,
    id,
    canonical,
    url: `${canonical}/`,
    stamp: { ino: 1, size: 1, mtimeMs: 1 },
  };
}

const few = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const step = fc.record({
  path: few,
  id: few,
  canonical: fc.option(few, { nil: undefined }),
  remove: fc.boolean(),
});

const sorted = (entries: Iterable<Entry>) => [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));

test('the indexes agree with a plain list after any sequence of sets and deletes', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const catalog = createCatalog();
      const list = new Map<string, Entry>();
      for (const { path, id, canonical, remove } of steps) {
        if (remove) {
          t.is(catalog.delete(path), list.get(path));
          list.delete(path);
        } else {
          const one = entry(path, id, canonical);
          catalog.set(one);
          list.set(path, one);
        }
      }
      const all = [...list.values()];
      t.is(catalog.size, all.length);
      t.deepEqual(sorted(catalog.entries()), sorted(all));
      for (const key of ['a', 'b', 'c', '__proto__', 'constructor', 'nobody']) {
        t.is(catalog.get(key), list.get(key));
        t.deepEqual(sorted(catalog.byId(key)), sorted(all.filter(({ id }) => id === key)));
        t.deepEqual(sorted(catalog.byUrl(key)), sorted(all.filter(({ canonical }) => canonical === key)));
      }
    }),
  );
});
