import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = fs.readFileSync(`${ROOT}docs/architecture.md`, 'utf8');

test('the map of the architecture names every folder of src, and no file that does not exist', (t) => {
  const rows = [...PAGE.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name);
  const folders = fs
    .readdirSync(`${ROOT}src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  t.deepEqual(rows.toSorted(), folders.toSorted());
  for (const [, path = ''] of PAGE.matchAll(/`((?:src|test)\/[^`<]+)`/g))
    t.true(fs.existsSync(ROOT + path), path);
});

test('the glossary has at most 20 words, in their order', (t) => {
  const words = [...PAGE.slice(PAGE.indexOf('## Glossary')).matchAll(/^\| ([a-z][^|]*) \|/gm)]
    .map(([, word = '']) => word.trim())
    .slice(1);
  t.true(words.length <= 20, `${words.length} words`);
  t.deepEqual(words, words.toSorted());
});
