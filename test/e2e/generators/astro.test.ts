import test from 'ava';
import { ASTRO_DEV, ASTRO_SITE } from './astro-site.js';
import { tryDevServer } from './dev-server.js';
import { followDocs } from './docs.js';
import { dropIn } from './drop-in.js';

const site = {
  ...ASTRO_SITE,
  tools: 'astro-5',
  copied: ['src/content/blog/Raised-Beds.md', 'src/content/blog/green-manure.md'],
};

dropIn(test, site);
tryDevServer(test, site, followDocs(test, site), ASTRO_DEV);
