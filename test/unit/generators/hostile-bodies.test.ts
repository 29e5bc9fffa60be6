import test from 'ava';
import { isSafeMarkdown } from '../../../src/generators/astro/body.js';
import { harmlessHtml } from '../../../src/generators/eleventy/body.js';
import { inertMarkdown, storedBody } from '../../../src/generators/hugo/body.js';
import { textOfHtml } from '../../../src/site/render/html-text.js';

// Each took minutes when its time grew with the square of the length.
test('texts in which nothing is closed take a time that grows with their length', (t) => {
  const name = `<${'a'.repeat(1_000_000)}`;
  t.is(harmlessHtml(name, { elements: ['a'], ids: [] }), name);
  t.true(isSafeMarkdown('!['.repeat(500_000), true));
  const comments = '<!-- svc:item:'.repeat(100_000);
  t.is(inertMarkdown(comments, true), undefined);
  const scripts = storedBody(
    { kind: 'html', html: `<!--more-->${'<noscript>'.repeat(90_000)}` },
    'a.md',
    true,
  );
  t.true(scripts.text.startsWith('<!-- more --><noscript>'));
  t.is(textOfHtml('<br '.repeat(250_000)), '');
});

// A line each: the pattern for footnotes looked for the end of each to the end of the text, for minutes.
test('footnotes that are never closed are read line by line', (t) => {
  const footnotes = '[^a\n'.repeat(16_000);
  t.is(inertMarkdown(footnotes, true), footnotes);
});

test('a relative picture of Markdown is found whatever stands before it', (t) => {
  for (const [markdown, isSafe] of [
    ['![a](https://a.example/b.png)', true],
    ['![a](/b)', true],
    ['![a](b)', false],
    ['![![a]x](b)', true],
    ['![![a](b)', false],
    ['![a][b] [c](d)', true],
    ['![a]( <b>)', false],
  ] as const)
    t.is(isSafeMarkdown(markdown, false), isSafe, markdown);
});
