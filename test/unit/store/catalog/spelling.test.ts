import test from 'ava';
import { type Catalog, createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { createSpelling } from '../../../../src/store/catalog/spelling.js';

/** The spelling of a site with these tags, and what it logs. */
function spellingOf(
  catalog: Catalog,
  format: Parameters<typeof createSpelling>[0] = { tagKey, hasAuthors: true },
) {
  const logged: object[] = [];
  const spelling = createSpelling(format, catalog, { warn: (fields: object) => void logged.push(fields) });
  let files = 0;
  const spelled = (tags: readonly string[], path = `new-${files++}.md`) => spelling.tags(tags, path);
  return { spelled, author: spelling.author, logged };
}

function catalogWith(...tags: readonly string[][]): Catalog {
  const catalog = createCatalog();
  for (const [index, own] of tags.entries()) {
    const path = `${index}.md`;
    const entry: Entry = {
      path,
      fingerprint: { ino: index, size: 1, mtimeMs: 1 },
      id: path,
      url: `https://garden.example/${index}/`,
      tags: own,
      author: `Author of ${index}`,
    };
    catalog.set(entry);
  }
  return catalog;
}

const tagKey = (tag: string) => (tag === '---' ? '' : tag.toLowerCase());

/** A key as most generators make it: without signs and accents. */
const slugKey = (tag: string) =>
  tag
    .normalize('NFD')
    .replace(/[^a-z0-9]+/gi, '')
    .toLowerCase();
const slugs = { tagKey: slugKey, hasAuthors: false };

test('tags are written as the site spells them, each once, also as a person writes them while the receiver runs', async (t) => {
  const catalog = catalogWith(['Soil']);
  const { spelled, author } = spellingOf(catalog);
  t.deepEqual(await spelled(['bees', 'SOIL', 'soil']), ['bees', 'Soil']);
  for (const entry of catalogWith(['Wasps']).entries())
    catalog.set({ ...entry, path: 'theirs.md', author: 'Olga' });
  t.deepEqual(await spelled(['wasps', 'BEES', 'soil']), ['Wasps', 'bees', 'Soil']);
  t.is(author('OLGA'), 'Olga');
});

test('C, C++ and C# are not spellings of one tag: what has no page of its own is left out, and named once', async (t) => {
  const { spelled, logged } = spellingOf(catalogWith(['C#', 'Café']), slugs);
  t.deepEqual(await spelled(['C++', 'C', 'c#', 'CAFE', 'HTML+CSS']), ['C#', 'Café', 'HTML+CSS']);
  t.deepEqual(await spelled(['C++', 'html css']), ['HTML+CSS']);
  t.deepEqual(logged, [
    { tag: 'C++', other: 'C#' },
    { tag: 'C', other: 'C#' },
  ]);
});

test('of two such tags in new articles the first stays, also while the catalog has neither', async (t) => {
  const { spelled, logged } = spellingOf(catalogWith(), slugs);
  t.deepEqual(await Promise.all([spelled(['C++17', 'C17']), spelled(['C17', 'Soil'])]), [
    ['C++17'],
    ['Soil'],
  ]);
  t.deepEqual(logged, [{ tag: 'C17', other: 'C++17' }]);
});

test('a site that has such tags side by side keeps them', async (t) => {
  const { spelled, logged } = spellingOf(catalogWith(['C', 'C#']), slugs);
  t.deepEqual(await spelled(['c#', 'c', 'C++']), ['C#', 'C']);
  t.deepEqual(logged, [{ tag: 'C++', other: 'C' }]);
});

test('a tag that no other article has any more is in the way of none', async (t) => {
  const catalog = catalogWith(['C#'], ['F#']);
  const { spelled, logged } = spellingOf(catalog, slugs);
  t.deepEqual(await spelled(['F'], '1.md'), ['F'], 'the tag of its own former text');
  t.deepEqual(await spelled(['C++']), []);
  catalog.delete('0.md');
  t.deepEqual(await spelled(['C++']), ['C++']);
  t.is(logged.length, 1);
});

test('a tag of an article that is being written keeps its spelling when the tags of replaced texts are forgotten', async (t) => {
  const catalog = catalogWith(['F']);
  const { spelled } = spellingOf(catalog, slugs);
  t.deepEqual(await spelled(['Soil']), ['Soil']);
  catalog.delete('0.md');
  t.deepEqual(await spelled(['F#']), ['F#'], 'F is forgotten');
  t.deepEqual(await spelled(['soil']), ['Soil']);
});

test('of an article with thousands of tags, the first hundred fix a spelling, and each tag is written once', async (t) => {
  const { spelled } = spellingOf(catalogWith());
  const many = Array.from({ length: 2_000 }, (_, n) => `Tag ${n}`);
  const long = 'L'.repeat(1_000);
  t.deepEqual(await spelled([long, ...many, 'TAG 1', 'TAG 1999']), [long, ...many]);
  t.deepEqual(await spelled(['tag 1', 'tag 1999', long.toLowerCase()]), [
    'Tag 1',
    'tag 1999',
    long.toLowerCase(),
  ]);
});

test('authors are written as the site spells them, by NFC, case and blanks', (t) => {
  const { author } = spellingOf(catalogWith([]));
  t.is(author('AUTHOR  of 0\u200b'), 'Author of 0');
  t.is(author('Zoë Elm'), 'Zoë Elm');
  t.is(author('zoe\u0308 elm'), 'Zoë Elm');
  t.is(author(''), '');
});

test('where Pressmark builds the site, tags and authors stay as they were sent', async (t) => {
  const { spelled, author } = spellingOf(catalogWith(['Soil']), { tagKey: undefined, hasAuthors: false });
  t.is(author('author of 0'), 'author of 0');
  t.deepEqual(await spelled(['soil', 'soil']), ['soil', 'soil']);
});
