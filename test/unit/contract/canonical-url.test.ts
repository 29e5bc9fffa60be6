import test from 'ava';
import { canonicalUrl } from '../../../src/contract/canonical-url.js';

// Which addresses name the same article is in vectors/urls.json; here is the form that is written and compared.

const FORMS: Readonly<Record<string, string>> = {
  'https://a.example/x//': 'https://a.example/x/',
  'https://a.example/': 'https://a.example',
  'https://a.example/x/?y=1#z': 'https://a.example/x?y=1',
  'https://a.example/x?y=1/': 'https://a.example/x?y=1/',
  'https://A.Example:443/X': 'https://a.example/X',
  'http://a.example:80/x': 'http://a.example/x',
  'http://a.example:8080/x': 'http://a.example:8080/x',
  'https://a.example/~x%7E': 'https://a.example/~x%7E',
  'https://a.example/x/./y/.': 'https://a.example/x/./y/.',
  'https://a.example/x/%2e%2E/y': 'https://a.example/x/%2e%2E/y',
  'https://a.example/x/?#': 'https://a.example/x?',
  'https://a.example?x=%7e': 'https://a.example?x=%7e',
  'https://a.example/so\u00adft': 'https://a.example/so%C2%ADft',
  'https://a.example/知?识=库': 'https://a.example/%E7%9F%A5?%E8%AF%86=%E5%BA%93',
  'https://a.example/\ud800': 'https://a.example/%EF%BF%BD',
  'https://Ä.Example/': 'https://xn--4ca.example',
  'https://xn--4ca.example/': 'https://xn--4ca.example',
  'https://[::1]:3000/x/': 'https://[::1]:3000/x',
};

/** What URL parsers would complete, replace or remove, or what holds credentials. */
const NONE = [
  ...[
    '',
    '/x',
    '//a.example/x',
    'https:a.example',
    'https:///a.example',
    'https://:443/',
    'ftp://a.example/',
  ],
  ...['https://u:p@a.example/', 'https://:@a.example/', ' https://a.example/', 'https://a.example/a\tb'],
  ...['https://a.example\\b', 'https://a.example:99999/', 'https://a.example:/', 'https://a.example:0443/'],
  ...['https://a.ex\u00adample/', 'https://ａ.example/', 'https://%61.example/', 'https://127.1/'],
];

test('the fragment and one trailing slash are dropped, the origin is written as parsers name it, and path and query stay', (t) => {
  for (const [text, canonical] of Object.entries(FORMS)) t.is(canonicalUrl(text), canonical, text);
});

test('what is no absolute http(s) URL without credentials, or has a host in a form that parsers replace, has no canonical form', (t) => {
  for (const text of NONE) t.is(canonicalUrl(text), undefined, JSON.stringify(text));
});
