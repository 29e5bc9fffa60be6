import test from 'ava';
import { tryDevServer } from './dev-server.js';
import { followDocs } from './docs.js';
import { dropIn, type SiteUnderTest } from './drop-in.js';

const site: SiteUnderTest = {
  folder: 'eleventy',
  tools: '.',
  build: 'npm run build',
  output: '_site',
  isBuiltByHand: true,
  copied: [
    'content/blog/compost.md',
    'content/blog/rain-butt.html',
    'content/blog/slug-count.md',
    'content/blog/tool-shed.md',
  ],
  siteUrl: 'https://allotment.example/notes',
  marker: '<footer>Plot 14, by the railway</footer>',
  day: (iso) => iso.slice(0, 10),
  // about/ counts the posts.
  lists: /^(?:index\.html|about\/index\.html|feed\.xml|tags\/[^/]+\/index\.html)$/,
  spelling: { water: 'Water' },
  posts: {
    'content/blog/2026-03-01-first-dig.md': '/blog/2026-03-01-first-dig/',
    'content/blog/compost.md': '/blog/compost/',
    'content/blog/rain-butt.html': '/blog/rain-butt/',
    'content/blog/seed-drawer.md': '/sheds/seed-drawer/',
    'content/blog/slug-count.md': '/blog/slug-count/',
    'content/blog/tool-shed.md': '/sheds/tool-shed/',
  },
  // Two have a template, which Eleventy does not run in a file whose body is HTML: without pins, both would be at one address.
  pinned: {
    'content/blog/2026-03-01-first-dig.md': 'permalink',
    'content/blog/compost.md': 'permalink',
    'content/blog/rain-butt.html': 'permalink',
    'content/blog/seed-drawer.md': 'permalink',
    'content/blog/slug-count.md': 'permalink',
    'content/blog/tool-shed.md': 'permalink',
  },
  keys: {
    mapped: ['title', 'description', 'tags', 'image'],
    inert: ['templateEngineOverride'],
  },
  pin: 'permalink',
  hidden: { '/blog/hotbed/': /draft/, '/blog/moon/': /js.* is not read/ },
};

dropIn(test, site);
tryDevServer(test, site, followDocs(test, site), {
  command: (port) => `npx eleventy --serve --quiet --port=${port}`,
  rebuilt: /File (?:changed|added|removed)/g,
});
