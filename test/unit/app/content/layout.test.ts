import test from 'ava';
import { mappingOf } from '../../../../src/app/content/layout.js';
import { GENERATORS } from '../../../../src/generators/registry.js';

test('what an owner has said of authors, categories, tags and lengths holds for every generator', (t) => {
  const settings = {
    siteUrl: 'https://garden.example',
    articles: {
      file: ':slug.md',
      permalink: '/:slug/',
      body: 'markdown',
      frontMatter: { layout: 'post' },
      slug: 'unicode',
    },
  } as const;
  const options = {
    authors: { 'Marta Oak': 'marta' },
    knownAuthorsOnly: true,
    categories: ['Vegetables'],
    keptTags: ['featured'],
    limits: { title: 60 },
  };
  for (const generator of GENERATORS)
    t.like(
      mappingOf(settings, generator, options),
      { ...options, constants: { layout: 'post' } },
      generator.name,
    );
});
