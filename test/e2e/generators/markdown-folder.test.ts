import test from 'ava';
import { dayIn, dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'markdown-folder',
  tools: 'next',
  // The packages of a test are links, as those of the copy that a receiver builds.
  build: 'npm run build -- --webpack',
  output: 'out',
  siteUrl: 'https://allotment.example/notes',
  marker: 'Plot 30, behind the weir</a></header>',
  day: dayIn('UTC'),
  collapsesSpace: true,
  isBuilt: true,
  every: 3,
  posts: {
    'posts/duckweed.md': '/posts/duckweed/',
    'posts/eel-trap.md': '/posts/eel-trap/',
    'posts/sluice.md': '/posts/sluice/',
  },
  hidden: { '/posts/unfinished/': /draft/ },
};

dropIn(test, site);
