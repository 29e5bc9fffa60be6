import test from 'ava';
import { harmlessHtml } from '../../../../src/generators/eleventy/body.js';
import { fc } from '../../../support/property.js';

const plain = { elements: [], ids: undefined };

test('HTML is left as it is, byte for byte', (t) => {
  const html =
    '<p CLASS=a>1 < 2 &amp; <a href = "/a?b=%20#c">x</a><br/><img src=a.png srcset="a.png 1x, b.png 2x"></p><pre>{{ x }}</pre>';
  t.is(harmlessHtml(html, plain), html);
  t.is(harmlessHtml(html, { elements: ['script'], ids: ['main'] }), html);
  fc.assert(
    fc.property(fc.string(), (text) =>
      t.is(harmlessHtml(`<p>${text.replaceAll('<', '')}</p>`, plain), `<p>${text.replaceAll('<', '')}</p>`),
    ),
  );
});

test('a URL that Eleventy cannot decode is encoded, and one that it cannot parse leads nowhere', (t) => {
  t.is(harmlessHtml('<a href="/50%/">x</a>', plain), '<a href="/50%25/">x</a>');
  t.is(harmlessHtml("<img src='/%C0.png'>", plain), "<img src='/%25C0.png'>");
  t.is(harmlessHtml('<a href="{% x %}">x</a>', plain), '<a href="{%25 x %25}">x</a>');
  t.is(harmlessHtml('<a href=http://[bad>x</a>', plain), '<a href=about:invalid>x</a>');
  t.is(harmlessHtml('<script src="//"></script>', plain), '<script src="about:invalid"></script>');
  t.is(harmlessHtml('<img srcset="a.png 1x, http://[ 2x">', plain), '<img srcset="">');
});

test('an id that is used is taken away', (t) => {
  t.is(
    harmlessHtml('<p id="a"><p id=main><p ID="a" class="b">', { elements: [], ids: ['main'] }),
    '<p id="a"><p ><p  class="b">',
  );
});

test('marked elements stay in the page; their text and comments are not read', (t) => {
  t.is(
    harmlessHtml('<SCRIPT async>let a = "<script>";</SCRIPT><!-- <script> --><scripted>', {
      elements: ['script'],
      ids: undefined,
    }),
    '<SCRIPT eleventy:ignore async>let a = "<script>";</SCRIPT><!-- <script> --><scripted>',
  );
});

test('a large text costs no more than its size', (t) => {
  for (const piece of [
    '<a "',
    '<!--',
    '<script ',
    '<script>',
    "<a b='",
    'a'.repeat(9),
    '<a b=',
    '  ',
    '<p id=',
  ])
    t.is(
      typeof harmlessHtml(`<p ${piece.repeat(100_000)}`, { elements: ['script'], ids: [] }),
      'string',
      piece,
    );
});
