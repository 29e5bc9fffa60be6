import test from 'ava';
import { type Catalog, createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { createSpelling } from '../../../../src/store/catalog/spelling.js';

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

test('tags are written as the site spells them, each once', async (t) => {
  const { tags: spelled } = createSpelling(
    { tagKey, hasAuthors: true },
    catalogWith(['Soil'], ['soil', 'Bees']),
  );
  t.deepEqual(await spelled(['SOIL', 'bees', 'soil', 'New']), ['Soil', 'Bees', 'New']);
});

test('the first spelling of a new tag is that of all later articles', async (t) => {
  const { tags: spelled } = createSpelling({ tagKey, hasAuthors: true }, catalogWith());
  t.deepEqual(await spelled(['Compost']), ['Compost']);
  t.deepEqual(await spelled(['compost']), ['Compost']);
});

test('a tag of which the generator cannot make a page is left out', async (t) => {
  const { tags: spelled } = createSpelling({ tagKey, hasAuthors: true }, catalogWith());
  t.deepEqual(await spelled(['---', 'soil']), ['soil']);
});

test('of an article with thousands of tags, the first hundred fix a spelling, and each tag is written once', async (t) => {
  const { tags: spelled } = createSpelling({ tagKey, hasAuthors: true }, catalogWith());
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
  const { author } = createSpelling({ tagKey, hasAuthors: true }, catalogWith([]));
  t.is(author('AUTHOR  of 0\u200b'), 'Author of 0');
  t.is(author('Zoë Elm'), 'Zoë Elm');
  t.is(author('zoe\u0308 elm'), 'Zoë Elm');
  t.is(author(''), '');
});

test('where Pressmark builds the site, tags and authors stay as they were sent', async (t) => {
  const spelling = createSpelling({ tagKey: undefined, hasAuthors: false }, catalogWith(['Soil']));
  const { tags: spelled } = spelling;
  t.is(spelling.author('author of 0'), 'author of 0');
  t.deepEqual(await spelled(['soil', 'soil']), ['soil', 'soil']);
});
