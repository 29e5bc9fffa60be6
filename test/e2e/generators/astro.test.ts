import test from 'ava';
import { ASTRO_DEV, ASTRO_SITE } from './astro-site.js';
import { tryDevServer } from './dev-server.js';
import { dropIn } from './drop-in.js';

const site = {
  ...ASTRO_SITE,
  tools: 'astro-5',
  hasPictures: true,
  lists: /^(?:index\.html|tags\/[^/]+\/index\.html)$/,
};

const live = dropIn(test, site);
tryDevServer(test, site, live, ASTRO_DEV);
