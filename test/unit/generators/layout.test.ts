import test from 'ava';
import { filesOfAddress } from '../../../src/article/address/files-of-address.js';
import { canonicalUrl } from '../../../src/contract/canonical-url.js';
import { patternLayout } from '../../../src/generators/layout.js';
import { fc } from '../../support/property.js';

test('a date that a person has garbled does no harm', (t) => {
  const layout = patternLayout('https://garden.example', ':year/:month/:slug.md', '/:year/:slug/');
  t.is(layout.path('bees', '2026-11-09T08:00:00Z'), '2026/11/bees.md');
  fc.assert(
    fc.property(fc.string(), (date) => {
      t.regex(layout.path('bees', date), /^\d{4}\/\d\d\/bees\.md$/);
      t.regex(layout.url('bees', date), /^https:\/\/garden\.example\/\d{4}\/bees\/$/);
    }),
  );
});

test('the URL of a person’s file has its whole name, as browsers send it', (t) => {
  const { url } = patternLayout('https://garden.example', ':slug.md', '/:slug/');
  t.is(url('C# tips', ''), 'https://garden.example/C%23%20tips/');
  t.is(url('Why now?', ''), 'https://garden.example/Why%20now%3F/');
  t.is(url('100%', ''), 'https://garden.example/100%25/');
  t.is(url('über a/b+c', ''), 'https://garden.example/%C3%BCber%20a/b+c/');
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const name = `x${text.replaceAll('/', '')}`;
      const { href, pathname } = new URL(url(name, ''));
      t.is(href, url(name, ''));
      t.is(`${canonicalUrl(href)}/`, href);
      if (!/[\\\0]/.test(name)) t.deepEqual(filesOfAddress(pathname), [`${name.toWellFormed()}/index.html`]);
    }),
  );
});
