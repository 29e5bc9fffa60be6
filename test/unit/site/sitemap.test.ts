import test from 'ava';
import { xml2js } from 'xml-js';
import { createSeries } from '../../../src/site/series.js';
import { changedSitemaps, sitemapFiles } from '../../../src/site/sitemap.js';
import { siteInfo } from '../../support/site-info.js';
import { piece } from './piece.js';

const site = siteInfo('https://x.example');

test('beyond a thousand articles the sitemap is an index, and a change costs one part', async (t) => {
  const series = createSeries();
  for (let time = 0; time < 2_001; time++) series.swap(undefined, piece(time));
  const files = changedSitemaps(site, series, series.takeChanges());
  t.deepEqual(
    files.map(({ file }) => file),
    ['sitemap-1.xml', 'sitemap-2.xml', 'sitemap-3.xml', 'sitemap.xml'],
  );
  t.deepEqual(sitemapFiles(2_001).sort(), files.map(({ file }) => file).sort());
  const texts = await Promise.all(files.map(({ make }) => make()));
  for (const text of texts) t.notThrows(() => xml2js(text));
  t.deepEqual(
    texts.map((text) => text.match(/<loc>/g)?.length),
    [1_001, 1_000, 1, 3], // the first has home as well
  );

  series.swap(piece(1_500), piece(1_500, 1));
  const changed = changedSitemaps(site, series, series.takeChanges());
  t.deepEqual(
    changed.map(({ file }) => file),
    ['sitemap-2.xml', 'sitemap.xml'],
  );
});
