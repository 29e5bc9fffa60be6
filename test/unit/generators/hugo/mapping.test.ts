import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { hugo } from '../../../../src/generators/hugo/hugo.js';
import { fc } from '../../../support/property.js';

// What Hugo does with these texts was seen with Hugo 0.111.3; test/e2e/generators asks it again.

const mapping = (options = {}) =>
  hugo.mapping({ body: 'markdown', constants: {}, address: (slug) => `/posts/${slug}/`, ...options });
const markdown = (text: string, html = `<p>${text}</p>`): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html,
});
const stored = (text: string) => mapping().body(markdown(text), 'posts/x.md');

test('shortcodes are commented out wherever they stand, and one that nothing closes is closed at the end', (t) => {
  t.is(stored('{{< run >}}').text, '{{</* run */>}}');
  t.is(stored('```\n{{< run >}}in{{% run %}}\n```').text, '```\n{{</* run */>}}in{{%/* run */%}}\n```');
  t.is(stored('{{< a {{% b >}} %}}').text, '{{</* a {{% b */>}} %}}');
  t.is(stored('{{<>}}').text, '{{</**/>}}');
  t.is(stored('Write `{{<` first.').text, 'Write `{{</*` first.\n\n<!-- */>}} -->\n');
});

test('the item comment is left out where Hugo would print a note in its place', (t) => {
  const text = 'Text.\n\n<!-- svc:item:a1 -->';
  t.is(stored(text).text, 'Text.');
  t.is(mapping({ rawHtml: true }).body(markdown(text), 'x.md').text, text);
});

test('what Markdown does not display on the site, or what stops its build, is stored as HTML', (t) => {
  const markup = (text: string, options = {}) =>
    mapping(options).body(markdown(text), 'x.md').frontMatter.markup;
  t.is(mapping().extension(markdown('a <kbd>x</kbd>')), '.html');
  t.is(mapping().extension(markdown('a')), '.md');
  t.is(mapping().extension({ kind: 'html', html: '<p>a</p>' }), '.html');
  t.is(markup('a <kbd>x</kbd>'), 'html');
  t.is(markup('a <kbd>x</kbd>', { rawHtml: true }), undefined);
  t.is(markup('a\n\n<!-- x', { rawHtml: true }), 'html', 'the page would end here');
  t.is(markup('a\n\n<!--more-->\n\nb'), 'html');
  for (const fence of ['```go {hl_lines={a=1}}', '~~~ go &#123;a=1}', '> - ```go {x}', '~~~~ a\\{'])
    t.is(markup(`${fence}\nx\n`), 'html', fence);
});

test('an HTML body stands byte for byte, but for shortcodes and the divider at which Hugo would cut it', (t) => {
  const html = (text: string, path = 'posts/x.html') => mapping().body({ kind: 'html', html: text }, path);
  t.deepEqual(html('<p>{{ a }} {% b %}</p>\n\n  <pre>\n x</pre>'), {
    text: '<p>{{ a }} {% b %}</p>\n\n  <pre>\n x</pre>',
    frontMatter: { markup: undefined },
  });
  t.is(html('<script>"{{< x >}}"</script>').text, '<script>"{{</* x */>}}"</script>');
  t.is(html('<p>a</p><!-- x').text, '<p>a</p><!-- x-->');
  t.is(html('<p>a</p><!--more--><p>b</p>').text, '<p>a</p><!-- more --><p>b</p>');
});

test('no shortcode is left in any body, whatever the article holds', (t) => {
  const pieces = [
    ...['{{<', '{{%', '>}}', '%}}', '/*', '*/', '`', '```', '\n', '\n\n', '    ', 'x '],
    ...['<!--more-->', '<b>', '{.a}', '\\'],
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.constantFrom('posts/x.md', 'posts/x.html'), fc.boolean(), (text, path, rawHtml) => {
      const { text: body } = mapping({ rawHtml }).body(markdown(text, text), path);
      // As Hugo reads: each opening is followed by a comment that ends with its own delimiter.
      const rest = body.replace(/\{\{<\/\*[\s\S]*?\*\/>\}\}|\{\{%\/\*[\s\S]*?\*\/%\}\}/g, '');
      t.notRegex(rest, /\{\{[<%]/);
    }),
  );
});

test('a text in front matter is no shortcode for a layout that renders it', (t) => {
  t.is(
    mapping().writtenText?.('a {{< run >}} {{% b %}} {{ c }}'),
    'a {\u2060{< run >}} {\u2060{% b %}} {{ c }}',
  );
});
