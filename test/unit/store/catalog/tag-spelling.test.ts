import test from 'ava';
import { type Catalog, createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { createTagSpelling } from '../../../../src/store/catalog/tag-spelling.js';

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
    };
    catalog.set(entry);
  }
  return catalog;
}

const tagKey = (tag: string) => (tag === '---' ? '' : tag.toLowerCase());

test('tags are written as the site spells them, each once', (t) => {
  const { spelled } = createTagSpelling({ tagKey }, catalogWith(['Soil'], ['soil', 'Bees']));
  t.deepEqual(spelled(['SOIL', 'bees', 'soil', 'New']), ['Soil', 'Bees', 'New']);
});

test('the first spelling of a new tag is that of all later articles', (t) => {
  const { spelled } = createTagSpelling({ tagKey }, catalogWith());
  t.deepEqual(spelled(['Compost']), ['Compost']);
  t.deepEqual(spelled(['compost']), ['Compost']);
});

test('a tag of which the generator cannot make a page is left out', (t) => {
  const { spelled } = createTagSpelling({ tagKey }, catalogWith());
  t.deepEqual(spelled(['---', 'soil']), ['soil']);
});

test('of an article with thousands of tags, the first hundred fix a spelling, and each tag is written once', (t) => {
  const { spelled } = createTagSpelling({ tagKey }, catalogWith());
  const tags = Array.from({ length: 2_000 }, (_, n) => `Tag ${n}`);
  const long = 'L'.repeat(1_000);
  t.deepEqual(spelled([long, ...tags, 'TAG 1', 'TAG 1999']), [long, ...tags]);
  t.deepEqual(spelled(['tag 1', 'tag 1999', long.toLowerCase()]), ['Tag 1', 'tag 1999', long.toLowerCase()]);
});

test('where Pressmark builds the site, tags stay as they were sent', (t) => {
  const { spelled } = createTagSpelling({ tagKey: undefined }, catalogWith(['Soil']));
  t.deepEqual(spelled(['soil', 'soil']), ['soil', 'soil']);
});
