import test from 'ava';
import { articleFormat } from '../../../src/article/format/format.js';
import { GENERATORS } from '../../../src/generators/registry.js';

/** What one tag has in common in all its spellings, where a generator builds the site. */
function keyOf({ mapping }: (typeof GENERATORS)[number], keptTags: readonly string[] = []) {
  const url = (slug: string) => `https://garden.example/blog/${slug}/`;
  const options = { body: 'markdown', constants: {}, address: url } as const;
  const keys = { ...mapping(options).keys, tags: 'tags' };
  const { tagKey } = articleFormat({
    mapping: { ...mapping({ ...options, keys }), keptTags },
    siteUrl: 'https://garden.example',
    url,
    listed: { get: () => undefined, version: 'v' },
  });
  if (tagKey === undefined) throw new Error('this site has no tags');
  return tagKey;
}

const SPELLINGS = [
  ['Café', 'Cafe\u0301', 'CAFÉ', '\ufeffcafé\u200b'],
  ['Top soil', 'top  soil', 'TOP\u00a0SOIL', ' Top\tsoil\n', 'top soil\u2060'],
  ['c#', 'C#', ' c#'],
];

for (const generator of GENERATORS) {
  test(`${generator.name}: tags are one by NFC, case and blanks, and no tag is empty or makes a folder with a dot first`, (t) => {
    const tagKey = keyOf(generator);
    for (const spellings of SPELLINGS) {
      const keys = new Set(spellings.map(tagKey));
      t.is(keys.size, 1, `${spellings[0]}: ${[...keys].map((key) => JSON.stringify(key)).join(' ')}`);
      t.notDeepEqual([...keys], [''], spellings[0]);
    }
    t.not(tagKey('Café'), tagKey('Cave'));
    for (const tag of ['', ' ', '\ufeff', '\u200b\n', '.', '..']) t.is(tagKey(tag), '', JSON.stringify(tag));
    for (const tag of ['.NET', '.git', '..hidden', '\u200b.well-known', './x', '~.x', '-.x', '".x"'])
      t.notRegex(tagKey(tag), /^\.|\/\./, tag);
  });

  test(`${generator.name}: a tag by which templates select posts is no article’s, in none of its spellings`, (t) => {
    const tagKey = keyOf(generator, ['nav', 'featured', 'Posts']);
    for (const tag of ['nav', 'Nav', ' NAV\u200b', 'featured', 'FEATURED', 'posts'])
      t.is(tagKey(tag), '', tag);
    t.not(tagKey('navy'), '');
  });
}

test('eleventy: a tag of all pages or of an object’s own is no article’s', (t) => {
  const eleventy = GENERATORS.find(({ name }) => name === 'eleventy');
  if (eleventy === undefined) throw new Error('there is no such generator');
  for (const tag of ['all', 'All', ' ALL ', '"all"', '__proto__']) t.is(keyOf(eleventy)(tag), '', tag);
});
