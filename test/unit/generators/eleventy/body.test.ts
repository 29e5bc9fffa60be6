import test from 'ava';
import type { IncomingBody } from '../../../../src/article/mapping.js';
import { harmlessHtml } from '../../../../src/generators/eleventy/body.js';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
import { fc } from '../../../support/property.js';

const plain = { elements: [], ids: undefined };

const mapping = (options: GeneratorOptions = {}, body: 'markdown' | 'html' = 'markdown') =>
  eleventy.mapping({ ...options, body, constants: {}, address: (slug) => `/blog/${slug}/` });
const markdown = (text: string): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html: `<p>${text}</p>`,
});
const html = (text: string): IncomingBody => ({ kind: 'html', html: text });
/** As what an article with this Markdown is stored: `md` or `html`. */
const formOf = (text: string, options: GeneratorOptions = {}) =>
  mapping(options).body(markdown(text), 'a.md').frontMatter.templateEngineOverride;

test('Markdown and HTML are stored as sent, with the switch that turns templates off', (t) => {
  const hostile = '{{ 7 * 7 }} {% include ".env" %} {# x #} --- +++';
  const { body, extension } = mapping();
  const stored = (text: string, form: string) => ({ text, frontMatter: { templateEngineOverride: form } });
  t.deepEqual(body(markdown(hostile), 'a.md'), stored(hostile, 'md'));
  for (const path of ['a.md', 'a.html']) t.deepEqual(body(html(hostile), path), stored(hostile, 'html'));
  t.deepEqual(body(markdown('x'), 'a.html'), stored('<p>x</p>', 'html'));
  t.deepEqual(mapping({}, 'html').body(markdown('x'), 'a.md'), stored('<p>x</p>', 'html'));
  t.is(formOf('x\n\n    y [a](/b%20c) <b>z</b>'), 'md');
  t.is(extension(html('x')), '.md');
});

test('Markdown with what a plugin of the site may stop at is stored as HTML', (t) => {
  for (const text of ['[a](http://[b)', '<http://[b>', '[a]\n\n[a]: /50%', '<a href="http://[">x</a>'])
    t.is(formOf(text), 'html', text);
  t.is(formOf('![a](/b.png)'), 'md');
  t.is(formOf('![a](/b.png)', { markedElements: ['img'] }), 'html');
  t.is(formOf('<b id="a">b</b>', { usedIds: ['a'] }), 'html');
});

test('what an article leaves open is closed, so that the page goes on', (t) => {
  t.is(mapping().body(html('<p>a</p><textarea>'), 'a.md').text, '<p>a</p><textarea></textarea>');
  t.is(formOf('a\n\n<!-- b'), 'html');
});

test('where the switch does not work, no delimiter of a template is left in a body', (t) => {
  const { body, extension } = mapping({ templateSwitch: false });
  t.is(extension(markdown('x')), '.html');
  t.is(mapping({ templateSwitch: false, htmlFiles: false }).extension(html('x')), '.md');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('{{', '{%', '{#', '<%', '<?', '#}', '}}'), (text, delimiter) => {
      const stored = body(markdown(`${text}${delimiter}${text}`), 'a.md').text;
      t.notRegex(stored, /[{}]|<[%?]/);
    }),
  );
});

test('an excerpt separator in a body is kept from being taken out', (t) => {
  const { body } = mapping({ excerptSeparator: '---' });
  t.deepEqual(body(markdown('a\n\n---\n\nb'), 'a.md').frontMatter, {
    templateEngineOverride: 'md',
    excerpt_separator: '<!-- no excerpt -->',
  });
  t.deepEqual(body(markdown('a'), 'a.md').frontMatter, {
    templateEngineOverride: 'md',
    excerpt_separator: undefined,
  });
});

test('elements of a body stay out of the bundles of the site', (t) => {
  const options = { markedElements: ['script', 'style'] };
  const { body } = mapping(options);
  t.is(
    body(
      html('<p>a</p><script async>let a = "<script>";</script><!-- <style> --><style>p{}</style>'),
      'a.html',
    ).text,
    '<p>a</p><script eleventy:ignore async>let a = "<script>";</script><!-- <style> --><style eleventy:ignore>p{}</style>',
  );
  t.is(formOf('a\n\n<script>b</script>', options), 'html');
});

test('Markdown goes without raw HTML to a renderer that would print it', (t) => {
  const rawHtml = false;
  t.is(mapping({ rawHtml }).body(markdown('Words.\n\n<!-- svc:item:a-1 -->'), 'a.md').text, 'Words.');
  t.is(formOf('Words.\n\n<!-- svc:item:a-1 -->', { rawHtml }), 'md');
  t.is(formOf('Words<br>and more.', { rawHtml }), 'html');
});

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
