import test from 'ava';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'vitepress',
  tools: 'vitepress',
  build: 'npm run docs:build',
  output: '.vitepress/dist',
  siteUrl: 'https://allotment.example/notes',
  marker: 'Plot 8, under the walnut</a></header>',
  day: dayIn('UTC'),
  collapsesSpace: true,
  every: 2,
  posts: {
    'posts/walnut-leaves.md': '/posts/walnut-leaves.html',
    'posts/moisture.md': '/posts/moisture.html',
    'posts/sheds/tar-roof.md': '/sheds/tar-roof.html',
  },
  hidden: {},
};

dropIn(test, site);
