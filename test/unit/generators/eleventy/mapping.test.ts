import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import { harmlessHtml } from '../../../../src/generators/eleventy/mapping.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
import { fc } from '../../../support/property.js';

const plain = { elements: [], ids: undefined };

const mapping = (options: GeneratorOptions = {}) =>
  eleventy.mapping({ ...options, body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });
const markdown = (text: string): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html: `<p>${text}</p>`,
});
const html = (text: string): IncomingBody => ({ kind: 'html', html: text });

/** What renders a Markdown article: `md`, or `html` where it is stored as such. */
const engineOf = (text: string, options: GeneratorOptions = {}) =>
  mapping(options).body(markdown(text), 'a.md').frontMatter.templateEngineOverride;

test('Markdown and HTML are stored as sent, with the switch that turns templates off', (t) => {
  const hostile = '{{ 7 * 7 }} {% include ".env" %} {# x #} --- +++';
  const { body } = mapping();
  t.deepEqual(body(markdown(hostile), 'a.md'), {
    text: hostile,
    frontMatter: { templateEngineOverride: 'md' },
  });
  t.deepEqual(body(html(hostile), 'a.html'), {
    text: hostile,
    frontMatter: { templateEngineOverride: 'html' },
  });
  t.is(mapping().extension(html('x')), '.html');
  t.is(mapping({ htmlFiles: false }).extension(html('x')), '.md');
});

test('Markdown with what a plugin of the site may stop at is stored as HTML', (t) => {
  for (const text of ['[a](http://[b)', '<http://[b>', '[a]\n\n[a]: /50%', '<a href="http://[">x</a>'])
    t.is(engineOf(text), 'html', text);
  t.is(engineOf('![a](/b.png)'), 'md');
  t.is(engineOf('![a](/b.png)', { markedElements: ['img'] }), 'html');
  t.is(engineOf('<b id="a">b</b>', { usedIds: ['a'] }), 'html');
});

test('where the switch does not work, no delimiter of a template is left in a body', (t) => {
  const { body } = mapping({ templateSwitch: false });
  t.is(engineOf('x', { templateSwitch: false }), 'html');
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
  t.is(body(markdown('a'), 'a.md').frontMatter.excerpt_separator, undefined);
});

test('elements of a body stay out of the bundles of the site', (t) => {
  const { body } = mapping({ markedElements: ['script', 'style'] });
  t.is(
    body(
      html('<p>a</p><script async>let a = "<script>";</script><!-- <style> --><style>p{}</style>'),
      'a.html',
    ).text,
    '<p>a</p><script eleventy:ignore async>let a = "<script>";</script><!-- <style> --><style eleventy:ignore>p{}</style>',
  );
  t.is(engineOf('a\n\n<script>b</script>'), 'html');
});

test('HTML is left as it is, byte for byte, but for an id that is there already', (t) => {
  const html =
    '<p CLASS=a>1 < 2 &amp; <a href = "/a?b=%20#c">x</a><br/><img src=a.png srcset="a.png 1x, b.png 2x"></p><pre>{{ x }}</pre>';
  t.is(harmlessHtml(html, plain), html);
  t.is(harmlessHtml('<b id=a></b><i id=a></i>', { elements: [], ids: [] }), '<b id=a></b><i ></i>');
});

test('a URL that Eleventy cannot decode is encoded, and one that it cannot parse leads nowhere', (t) => {
  t.is(harmlessHtml('<a href="/50%/">x</a>', plain), '<a href="/50%25/">x</a>');
  t.is(harmlessHtml("<img src='/%C0.png'>", plain), "<img src='/%25C0.png'>");
  t.is(harmlessHtml('<script src="//"></script>', plain), '<script src="about:invalid"></script>');
  t.is(harmlessHtml('<img srcset="a.png 1x, http://[ 2x">', plain), '<img srcset="">');
});
