import test from 'ava';
import { canonicalUrl } from '../../../src/contract/canonical-url.js';
import { fc } from '../../support/property.js';

const TABLE: [text: string, canonical: string | undefined][] = [
  ['https://a.example/x/', 'https://a.example/x'],
  ['https://a.example/x', 'https://a.example/x'],
  ['https://a.example/x//', 'https://a.example/x/'],
  ['https://a.example/', 'https://a.example'],
  ['https://a.example', 'https://a.example'],
  ['https://a.example/x/#y', 'https://a.example/x'],
  ['https://a.example/x/?y=1#z', 'https://a.example/x?y=1'],
  ['https://a.example/x?y=1/', 'https://a.example/x?y=1/'],
  ['https://A.Example/X', 'https://a.example/X'],
  ['https://a.example:443/x', 'https://a.example/x'],
  ['http://a.example:80/x', 'http://a.example/x'],
  ['http://a.example:8080/x', 'http://a.example:8080/x'],
  ['https://a.example/%7Ex', 'https://a.example/%7Ex'],
  ['https://a.example/~x', 'https://a.example/~x'],
  ['https://a.example/ä', 'https://a.example/%C3%A4'],
  ['https://a.example/%C3%A4', 'https://a.example/%C3%A4'],
  ['https://a.example/x/../y', 'https://a.example/x/../y'],
  ['https://a.example/x/./y/.', 'https://a.example/x/./y/.'],
  ['https://a.example/x/%2e%2E/y', 'https://a.example/x/%2e%2E/y'],
  ['https://a.example/x?', 'https://a.example/x?'],
  ['https://a.example/x/?#', 'https://a.example/x?'],
  ['https://a.example?x=%7e', 'https://a.example?x=%7e'],
  ['https://a.example/so\u00adft', 'https://a.example/so%C2%ADft'],
  ['https://a.example/知?识=库', 'https://a.example/%E7%9F%A5?%E8%AF%86=%E5%BA%93'],
  ['https://a.example/\ud800', 'https://a.example/%EF%BF%BD'],
  ['https://ä.example/', 'https://xn--4ca.example'],
  ['https://Ä.Example/', 'https://xn--4ca.example'],
  ['https://xn--4ca.example/', 'https://xn--4ca.example'],
  ['https://[::1]:3000/x/', 'https://[::1]:3000/x'],
  ['', undefined],
  ['x', undefined],
  ['/x', undefined],
  ['//a.example/x', undefined],
  ['https:a.example', undefined],
  ['https:/a.example', undefined],
  ['https:///a.example', undefined],
  ['https://', undefined],
  ['https://:443/', undefined],
  ['ftp://a.example/', undefined],
  ['data:text/html,x', undefined],
  ['https://u@a.example/', undefined],
  ['https://u:p@a.example/', undefined],
  ['https://:@a.example/', undefined],
  [' https://a.example/', undefined],
  ['https://a.example/ ', undefined],
  ['https://a.example/a\tb', undefined],
  ['https://a.example\\b', undefined],
  ['https://a.example:99999/', undefined],
  ['https://a.example:/', undefined],
  ['https://a.example:0443/', undefined],
  ['https://a.ex\u00adample/', undefined],
  ['https://ａ.example/', undefined],
  ['https://%61.example/', undefined],
  ['https://127.1/', undefined],
  ['https://[0:0:0:0:0:0:0:1]/', undefined],
];

for (const [text, canonical] of TABLE) {
  const what = canonical === undefined ? 'has no canonical form' : `has the canonical form ${canonical}`;
  test(`${JSON.stringify(text)} ${what}`, (t) => {
    t.is(canonicalUrl(text), canonical);
  });
}

const url = fc.webUrl({ withFragments: true, withQueryParameters: true });

test('the canonical form of a canonical form is the same, or one more slash shorter', (t) => {
  fc.assert(
    fc.property(url, (text) => {
      const once = canonicalUrl(text) ?? 'every generated URL has a canonical form';
      const [, base = '', slash = '', query = ''] = /^([^?]*?)(\/?)(\?.*)?$/s.exec(once) ?? [];
      t.is(`${base}${slash}${query}`, once);
      t.is(canonicalUrl(once), `${base}${query}`);
    }),
  );
});

test('a fragment and one trailing slash make no difference; a further segment and a query do', (t) => {
  fc.assert(
    fc.property(fc.webUrl(), fc.webFragments(), (text, fragment) => {
      t.is(canonicalUrl(`${text}#${fragment}`), canonicalUrl(text));
      const bare = text.replace(/\/+$/, '');
      t.is(canonicalUrl(`${bare}/`), canonicalUrl(bare));
      t.not(canonicalUrl(`${bare}/more`), canonicalUrl(bare));
      t.not(canonicalUrl(`${bare}?more=1`), canonicalUrl(bare));
    }),
  );
});
