import test from 'ava';
import { ASTRO_SITE } from './astro-site.js';
import { dropIn } from './drop-in.js';

dropIn(test, { ...ASTRO_SITE, tools: 'astro-newest' });
