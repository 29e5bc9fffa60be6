import test from 'ava';
import { siteIndex } from '../../../src/site/index/site-index.js';
import { siteInfo } from '../../support/site-info.js';
import { post } from './post.js';

test('which file an article has follows the site and its reserved places, also where the same entry comes again', (t) => {
  const { entry } = post(1);
  const site = siteInfo('https://x.example');
  const pages = (of = site, isReserved = false) =>
    siteIndex([entry], new Map(), of, () => isReserved).posts.map(({ file }) => file);
  t.deepEqual(pages(), ['a1/index.html']);
  t.deepEqual(pages(site, true), []);
  t.deepEqual(pages(), ['a1/index.html']);
  t.deepEqual(pages(siteInfo('https://another.example')), []);
});
