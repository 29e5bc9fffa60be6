import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { astro } from '../../../../src/generators/astro/astro.js';
import { isSafeMarkdown, markdownBody } from '../../../../src/generators/astro/mapping.js';

const mapping = astro.mapping({ body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });
const markdown = (text: string): IncomingBody => ({ kind: 'markdown', markdown: text, html: '<p>HTML</p>' });

// With these bodies, Astro 5.18 or 7.3 did not build the site, showed a page without text, or lost the picture.
test('Markdown whose pictures Astro would import or fetch is stored as HTML', (t) => {
  for (const text of [
    '![a](picture.png)',
    '![a](../../.env)',
    '![a](https://x.example/%C0.png)',
    '![a][r]\n\n> [r]:\n> ./y.png',
    '![a](https://x.example/pic&#46;png)',
    '![a](https://x.example/pic\\.png)',
    '![a]( <b>)',
    '<img __ASTRO_IMAGE_="garbage">',
    '<script>let a',
    'Text <!-- open',
  ]) {
    t.false(isSafeMarkdown(text, false), text);
    t.is(mapping.body(markdown(text), 'x.md').text, '<div>\n<p>HTML</p>\n</div>', text);
  }
  t.false(isSafeMarkdown('![a](https://x.example/a.png)', true));
});

// Astro 7 drops a body's first lines between two `---` or `+++`; both versions trim the body.
test('the first line of Markdown is neither taken for front matter nor trimmed', (t) => {
  for (const text of ['---\nfoo: bar\n---\nAfter', '\n +++\nfoo = 1\n+++', '    code', '\ufeff---\n---'])
    t.is(markdownBody(text), `<!-- -->\n\n${text}`);
  t.is(markdownBody('Text\n\n---'), 'Text\n\n---');
});

test('a text that Astro takes for the name of a picture is a text', (t) => {
  t.is(mapping.writtenText?.('__ASTRO_IMAGE_./a.png'), '\u2060__ASTRO_IMAGE_./a.png');
  for (const text of ['__ASTRO_IMAGE_./a.png', '\u2060__ASTRO_IMAGE_./a.png', 'About __ASTRO_IMAGE_'])
    t.is(mapping.sentText?.(mapping.writtenText?.(text) ?? ''), text);
});
