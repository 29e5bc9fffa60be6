import test from 'ava';
import { ASTRO_DEV, ASTRO_SITE } from './astro-site.js';
import { tryDevServer } from './dev-server.js';
import { followDocs } from './docs.js';
import { dropIn } from './drop-in.js';
import { tryOwnPosts } from './own-posts.js';

const site = { ...ASTRO_SITE, tools: 'astro-5' };

dropIn(test, site);
tryOwnPosts(test, site, ['src/content/blog/Raised-Beds.md', 'src/content/blog/green-manure.md']);
followDocs(test, site);
tryDevServer(test, site, ASTRO_DEV);
