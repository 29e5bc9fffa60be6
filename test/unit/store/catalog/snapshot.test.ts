import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { loadSnapshot, saveSnapshot } from '../../../../src/store/catalog/snapshot.js';
import { tempDir } from '../../../support/temp-dir.js';

function entry(n: number, id: string): Entry {
  const url = `https://garden.example/${n}/`;
  const fingerprint = { ino: n, size: 10 * n, mtimeMs: n + 0.25 };
  const tags = n % 2 === 0 ? { tags: ['t'] } : {};
  return { path: `${n}.md`, fingerprint, id, url, ...tags };
}

const IDS = ['a', 'line\nfeed', 'separator\u2028', 'nul\u0000', '😀', '__proto__', '\r'];

test('a catalog comes back as it was saved', async (t) => {
  const path = join(tempDir(t), 'catalog.jsonl');
  const saved = createCatalog();
  for (const [n, id] of IDS.entries()) saved.set(entry(n, id));
  for (let n = 100; n < 2_600; n++) saved.set(entry(n, `id-${n}`));
  await saveSnapshot(path, 'key', saved);
  const loaded = createCatalog();
  t.is(await loadSnapshot(path, 'key', loaded), saved.size);
  t.deepEqual([...loaded.entries()], [...saved.entries()]);
  for (const id of IDS) t.is(loaded.byId(id).length, 1, JSON.stringify(id));
});

test('a snapshot of another key, a missing file and a file that is not a snapshot are not read', async (t) => {
  const path = join(tempDir(t), 'catalog.jsonl');
  const catalog = createCatalog();
  t.is(await loadSnapshot(path, 'key', catalog), 0);
  catalog.set(entry(1, 'a'));
  await saveSnapshot(path, 'another key', catalog);
  t.is(await loadSnapshot(path, 'key', createCatalog()), 0);
  for (const text of ['', 'rubbish']) {
    fs.writeFileSync(path, text);
    t.is(await loadSnapshot(path, 'key', createCatalog()), 0);
  }
});
