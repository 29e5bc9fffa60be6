import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { plainFormat } from '../../../../src/article/format/plain.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import { createAddressRefresh } from '../../../../src/store/catalog/address-refresh.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { contentFolder } from '../../../../src/store/catalog/content-folder.js';
import { type Entry, entryOf } from '../../../../src/store/catalog/entry.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

function entry(name: string): Entry {
  const article = { id: 'a', url: `${SITE_URL}/${name}/`, title: '', date: '', tags: [], author: '' };
  const readable = { article, address: { kind: 'listed' }, publication: { kind: 'dated' } } as const;
  return entryOf('a.md', readable, { ino: 1, size: 1, mtimeMs: 1 });
}

/** A catalog of one file after addresses were listed. @param read what is read of the file. */
function listedAnew(t: ExecutionContext, read: () => Entry) {
  const root = tempDir(t);
  fs.writeFileSync(join(root, 'a.md'), 'text');
  const layout = patternLayout(SITE_URL, ':slug.md', '/:slug/');
  const folder = contentFolder(root, layout, { ...plainFormat(layout.url), key: 'one' });
  const { format } = folder;
  const catalog = createCatalog();
  catalog.set(entry('old'));
  const codec = { ...folder.codec, entry: async () => read() };
  const addresses = createAddressRefresh({ ...folder, codec }, catalog);
  Object.assign(format, { key: 'two' });
  return { addresses, catalog };
}

test('whoever asks while addresses are read waits until all of them are', async (t) => {
  let read = 0;
  const { addresses, catalog } = listedAnew(t, () => {
    read++;
    return entry('new');
  });
  t.is(addresses.key, 'one', 'a snapshot is made under the key under which its entries were read');
  const first = addresses.refresh();
  await addresses.refresh();
  t.is(catalog.get('a.md')?.url, `${SITE_URL}/new/`);
  await first;
  t.is(read, 1);
  t.is(addresses.key, 'two');
});

test('what is written while addresses are read stays, and what could not be read is read at the next question', async (t) => {
  const written = entry('written');
  const reads = [
    () => {
      throw new Error('EIO');
    },
    () => {
      catalog.set(written);
      return entry('new');
    },
  ];
  const { addresses, catalog } = listedAnew(t, () => reads.shift()?.() ?? entry('new'));
  await t.throwsAsync(addresses.refresh(), { message: 'EIO' });
  await addresses.refresh();
  t.is(catalog.get('a.md'), written);
});
