import test from 'ava';
import { addressDigest } from '../../../../src/article/format/address.js';
import type { ArticleMapping } from '../../../../src/article/format/mapping.js';

const mapping: ArticleMapping = {
  keys: {
    title: 'title',
    description: 'description',
    date: 'date',
    updated: 'lastmod',
    tags: 'tags',
    image: null,
  },
  constants: {},
  reserved: ['permalink', 'templates'],
  isArticlePath: () => true,
  slug: ({ path }) => path,
  date: (iso) => iso,
  image: (url) => url,
  tagKey: (tag) => tag,
  extension: () => '.md',
  body: ({ html }) => ({ text: html, frontMatter: { templates: false } }),
  pin: (address) => ({ permalink: address }),
  isPinned: () => false,
  publication: () => ({ kind: 'dated' }),
};

const data = { title: 'Soil', date: '2026-01-02', category: ['a', { b: 1 }], permalink: '/x/' };
const digest = (more: Record<string, unknown> = {}, path = 'a.md') =>
  addressDigest({ path, data: { ...data, ...more } }, mapping);

test('the digest of an address stays when an update replaces its fields', (t) => {
  const updated = {
    title: 'Other',
    description: 'x',
    lastmod: 'y',
    tags: ['z'],
    pressmark: { id: '1' },
    templates: false,
  };
  t.is(digest(updated), digest());
});

test('the digest of an address changes with the path, the date, and the owner’s keys', (t) => {
  const digests = [
    digest(),
    digest({}, 'b.md'),
    digest({ date: '2026-01-03' }),
    digest({ permalink: '/y/' }),
    digest({ category: ['a', { b: 2 }] }),
    digest({ slug: 'x' }),
  ];
  t.is(new Set(digests).size, digests.length);
});
