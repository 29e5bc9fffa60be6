import test from 'ava';
import { dropIn, type SiteUnderTest } from './drop-in.js';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

const site: SiteUnderTest = {
  folder: 'docusaurus',
  tools: 'docusaurus',
  build: 'npm run build',
  output: 'build',
  siteUrl: 'https://allotment.example/notes',
  marker: 'Plot 17, by the canal',
  day: (iso) => day.format(new Date(iso)),
  collapsesSpace: true,
  every: 2,
  ownJsonLd: 1,
  posts: {
    'blog/2024-03-09-raised-beds/index.md': '/blog/2024/03/09/raised-beds/',
    'blog/2023-09-30-green-manure.md': '/blog/2023/09/30/green-manure/',
    'blog/2024-05-20-truce.md': '/blog/truce-with-snails/',
  },
  hidden: { '/blog/2024/07/01/unfinished/': /draft/ },
};

dropIn(test, site);
