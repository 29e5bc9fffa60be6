import test from 'ava';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'nuxt-content',
  tools: 'nuxt-content',
  isForNode24: true,
  build: 'npm run generate',
  output: '.output/public',
  siteUrl: 'https://allotment.example/notes',
  marker: 'Plot 41, next to the tap</a></header>',
  day: dayIn('UTC'),
  collapsesSpace: true,
  isBuilt: true,
  every: 3,
  posts: {
    'content/posts/1.tap.md': '/posts/tap/',
    'content/posts/hose.md': '/posts/hose/',
    'content/posts/barrel.md': '/posts/barrel/',
  },
  hidden: {},
};

dropIn(test, site);
