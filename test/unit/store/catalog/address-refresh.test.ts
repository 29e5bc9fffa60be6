import test from 'ava';
import { createAddressRefresh } from '../../../../src/store/catalog/address-refresh.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { type Entry, entryOf } from '../../../../src/store/catalog/entry.js';

function entry(path: string, url: string): Entry {
  const article = { id: path, url, title: '', date: '', tags: [], author: '' };
  const readable = { article, address: { kind: 'listed' }, publication: { kind: 'dated' } } as const;
  return entryOf(path, readable, { ino: 1, size: 1, mtimeMs: 1 });
}

const OLD = 'https://garden.example/old/';
const NEW = 'https://garden.example/new/';

test('whoever asks while addresses are read waits until all of them are', async (t) => {
  const catalog = createCatalog();
  catalog.set(entry('a.md', OLD));
  const format = { key: 'one' };
  let read = 0;
  const addresses = createAddressRefresh(format, catalog, async (known) => {
    read++;
    return known.map(({ path }) => entry(path, NEW));
  });
  format.key = 'two';
  t.is(addresses.key, 'one', 'a snapshot is made under the key under which its entries were read');
  const first = addresses.refresh();
  await addresses.refresh();
  t.is(catalog.get('a.md')?.url, NEW);
  await first;
  t.is(read, 1);
  t.is(addresses.key, 'two');
});

test('what is written while addresses are read stays', async (t) => {
  const catalog = createCatalog();
  catalog.set(entry('a.md', OLD));
  const format = { key: 'one' };
  const written = entry('a.md', 'https://garden.example/written/');
  const addresses = createAddressRefresh(format, catalog, async (known) => {
    catalog.set(written);
    return known.map(({ path }) => entry(path, NEW));
  });
  format.key = 'two';
  await addresses.refresh();
  t.is(catalog.get('a.md'), written);
});

test('addresses that could not be read are read at the next question', async (t) => {
  const catalog = createCatalog();
  catalog.set(entry('a.md', OLD));
  const format = { key: 'one' };
  const failures = [new Error('EIO')];
  const addresses = createAddressRefresh(format, catalog, async (known) => {
    const failure = failures.pop();
    if (failure !== undefined) throw failure;
    return known.map(({ path }) => entry(path, NEW));
  });
  format.key = 'two';
  await t.throwsAsync(addresses.refresh());
  await addresses.refresh();
  t.is(catalog.get('a.md')?.url, NEW);
});
