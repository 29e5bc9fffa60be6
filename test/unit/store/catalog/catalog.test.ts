import test from 'ava';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { fc } from '../../../support/property.js';

/** @param name undefined where a person has written something that is no URL. */
function entry(path: string, id: string, name: string | undefined, isCertain: boolean): Entry {
  const url = name === undefined ? 'no URL' : `${SITE}${name}/`;
  const address = { kind: 'unknown', reason: 'not built yet' } as const;
  return { path, id, url, fingerprint: { ino: 1, size: 1, mtimeMs: 1 }, ...(!isCertain && { address }) };
}

const SITE = 'https://garden.example/';

const few = fc.constantFrom('a', 'b', 'C', '__proto__', 'constructor');
const step = fc.record({
  path: few,
  id: few,
  name: fc.option(few, { nil: undefined }),
  isCertain: fc.boolean(),
  remove: fc.boolean(),
});

const sorted = (entries: Iterable<Entry>) => [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));

test('the indexes agree with a plain list after any sequence of sets and deletes', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isAsked) => {
      const catalog = createCatalog();
      if (isAsked) catalog.byId('a'); // the first question makes the indexes
      const list = new Map<string, Entry>();
      for (const { path, id, name, isCertain, remove } of steps) {
        if (remove) {
          t.is(catalog.delete(path), list.get(path));
          list.delete(path);
        } else {
          const one = entry(path, id, name, isCertain);
          catalog.set(one);
          list.set(path, one);
        }
      }
      const all = [...list.values()];
      t.is(catalog.size, all.length);
      t.deepEqual(sorted(catalog.entries()), sorted(all));
      for (const key of ['a', 'b', 'C', '__proto__', 'constructor', 'nobody']) {
        t.is(catalog.get(key), list.get(key));
        t.deepEqual(sorted(catalog.byId(key)), sorted(all.filter(({ id }) => id === key)));
        const url = `${SITE}${key}`;
        const here = all.filter((one) => one.url === `${url}/`);
        t.deepEqual(sorted(catalog.byUrl(url)), sorted(here));
        t.deepEqual(sorted(catalog.unresolved(key)), sorted(here.filter(({ address }) => address)));
      }
    }),
  );
});
