import test from 'ava';
import { storedBody as storedDocusaurusBody } from '../../../src/generators/docusaurus/mapping.js';
import { harmlessHtml } from '../../../src/generators/eleventy/mapping.js';
import { storedBody as storedHexoBody } from '../../../src/generators/hexo/mapping.js';
import { storedBody } from '../../../src/generators/hugo/mapping.js';
import { hasTags, linkedAddresses, needsHtml } from '../../../src/generators/mapping/markdown.js';
import { storedBody as storedVitePressBody } from '../../../src/generators/vitepress/mapping.js';
import { textOfHtml } from '../../../src/site/index/html-text.js';

// Each took minutes when its time grew with the square of the length.
test('texts in which nothing is closed take a time that grows with their length', (t) => {
  const name = `<${'a'.repeat(1_000_000)}`;
  t.is(harmlessHtml(name, { elements: ['a'], ids: [] }), name);
  t.deepEqual(linkedAddresses('!['.repeat(500_000)), []);
  const comments = '<!-- svc:item:'.repeat(100_000);
  t.true(needsHtml(comments));
  t.true(hasTags(comments));
  t.is(linkedAddresses(`](${'(]:'.repeat(300_000)}`).length, 300_001);
  const noscripts = { kind: 'html', html: `<!--more-->${'<noscript>'.repeat(90_000)}` } as const;
  t.true(storedBody(noscripts, 'a.md', true).text.startsWith('<!-- more --><noscript>'));
  for (const text of ['[^a\n'.repeat(16_000), '~'.repeat(60_000), '-   '.repeat(15_000)])
    t.is(storedBody({ kind: 'markdown', markdown: text, html: '' }, 'a.md', true).text, text);
  t.is(textOfHtml('<br '.repeat(250_000)), '');
});

// Each took 10 s and more; now some milliseconds.
test('blank texts take a time that grows with their length', (t) => {
  for (const blank of ['\u2028', '\n', '\t']) {
    const text = blank.repeat(60_000);
    const incoming = { kind: 'markdown', markdown: text, html: text } as const;
    t.is(storedHexoBody({ kind: 'html', html: text }, 'a.md').text, text);
    storedVitePressBody(incoming, false);
    storedDocusaurusBody(incoming);
  }
});

test('every address that a parser could read is found', (t) => {
  const found = (markdown: string) => linkedAddresses(markdown);
  t.deepEqual(found('[a](b) ![c]( <d> "e") <https://f.example>\n\n[g]:\n  h'), [
    'b',
    'd',
    'h',
    'https://f.example',
  ]);
  t.deepEqual(found('[a](b_(c)_d) [e](f(g'), ['b_(c)_d', 'f(']);
});
