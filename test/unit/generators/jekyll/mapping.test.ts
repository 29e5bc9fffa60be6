import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import type { MappingOptions } from '../../../../src/generators/generator.js';
import { jekyll } from '../../../../src/generators/jekyll/jekyll.js';
import { fc } from '../../../support/property.js';

const mappingOf = (options: Partial<MappingOptions> = {}) =>
  jekyll.mapping({ body: 'markdown', constants: {}, address: (slug) => `/${slug}/`, ...options });
const markdown = (text: string): IncomingBody => ({ kind: 'markdown', markdown: text, html: '<p>x</p>' });
const html = (text: string): IncomingBody => ({ kind: 'html', html: text });

test('nothing but the strings of the escape is left for Liquid to run', (t) => {
  const liquid = fc.array(fc.constantFrom('{', '%', '}', '"', ' ', 'a', '\n', '-', 'raw'), { maxLength: 30 });
  fc.assert(
    fc.property(liquid, fc.boolean(), fc.constantFrom('a.md', 'a.html'), (parts, isHtml, path) => {
      const text = parts.join('');
      const { text: escaped } = mappingOf().body(isHtml ? html(text) : markdown(text), path);
      t.notRegex(escaped.replace(/\{\{ "\{[{%]" \}\}/g, '\0'), /\{[{%]/);
      if (isHtml && path === 'a.html') t.is(escaped.replace(/\{\{ "(\{[{%])" \}\}/g, '$1'), text);
    }),
  );
});

// Old versions of kramdown run code from {::options}, and make broken UTF-8 of a reference to no character.
test('Markdown that kramdown may run, or that may swallow the page, is stored as HTML', (t) => {
  const excerptOf = (body: IncomingBody) =>
    mappingOf({ templateSwitch: true }).body(body, 'a.md').frontMatter.excerpt_separator;
  for (const text of ['{::options template="x" /}', 'a\n{: onclick="x"}', 'a &#xD800; b', 'a <!-- b'])
    t.is(excerptOf(markdown(text)), '', text);
  t.is(excerptOf(markdown('a')), undefined);
  t.is(mappingOf().extension(markdown('a\n{: .x}')), '.html');
  t.is(mappingOf().extension(markdown('a')), '.md');
});

test('an HTML file is the HTML as sent, without an excerpt', (t) => {
  const stored = (text: string, options = {}) => mappingOf(options).body(html(text), '2025-03-02-a.html');
  const text = '<p>One <b>word</b>.</p>\n<pre>\n\n{% b %}</pre>';
  t.deepEqual(stored(text, { templateSwitch: true }), {
    text,
    frontMatter: { render_with_liquid: false, excerpt_separator: '' },
  });
  t.deepEqual(stored(text), {
    text: '<p>One <b>word</b>.</p>\n<pre>\n\n{{ "{%" }} b %}</pre>',
    frontMatter: { render_with_liquid: undefined, excerpt_separator: '' },
  });
});

test('HTML in a Markdown file of Jekyll is kept from kramdown, whatever it holds', (t) => {
  const stored = (text: string, options = {}) =>
    mappingOf({ templateSwitch: true, ...options }).body(html(text), '2025-03-02-a.markdown');
  t.deepEqual(stored('<p>a\n\nb</p>\n<pre>\n\n{:/nomarkdown}\n</pre>\n'), {
    text: '{::nomarkdown}\n<p>a\n\nb</p>\n<pre>\n\n&#123;:/nomarkdown}\n</pre>\n{:/nomarkdown}\n',
    frontMatter: { render_with_liquid: false, excerpt_separator: '' },
  });
  // In a script, a character reference would be shown as it is written.
  const script = '<script type="text/plain">{::comment}a{:/comment}</script>';
  t.is(stored(script).text, `{::nomarkdown}\n${script}\n{:/nomarkdown}\n`);
  t.is(
    stored('<h2>a</h2>\n\n<pre>b\n\nc</pre>', { rawHtml: true }).text,
    '<div>\n<h2>a</h2>\n&#10;<pre>b\n&#10;c</pre>\n</div>',
  );
});
