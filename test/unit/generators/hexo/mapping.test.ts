import test from 'ava';
import { storedBody } from '../../../../src/generators/hexo/mapping.js';

const markdown = (text: string, path = 'a.md') =>
  storedBody({ kind: 'markdown', markdown: text, html: '<p>As HTML.</p>' }, path);
const html = (text: string) => storedBody({ kind: 'html', html: text }, 'a.md');

test('an HTML body, and every body in an HTML file, is rendered by nothing', (t) => {
  const asHtml = { text: '<p>As HTML.</p>', frontMatter: { disableNunjucks: true, engine: 'html' } };
  t.deepEqual(html('<p>As HTML.</p>'), asHtml);
  t.deepEqual(markdown('*Words*', 'a.html'), asHtml);
  t.is(html('<p>{{ 1 }}</p><!-- open').text, '<p>{{ 1 }}</p><!-- open-->');
});

test('Markdown at which the build would stop is stored as HTML', (t) => {
  for (const text of [
    '![a](http://[bad)',
    '![a](https://)',
    '![a][b]\n\n[b]: http://a:b:c/',
    'a <!-- comment -->',
    '&lt;!--swig\ufffc0--&gt;',
    '`<hexoPostRenderCodeBlock>`',
  ])
    t.is(markdown(text).frontMatter.engine, 'html', text);
});

test('HTML has no fence of code, except where a character reference is none', (t) => {
  const fence = '```sh\n{{ rm }}\n```';
  t.is(html(`<pre>\n${fence}</pre>`).text, '<pre>\n&#96;``sh\n{{ rm }}\n&#96;``</pre>');
  t.is(html('<p>\n  > ~~~~\n</p>').text, '<p>\n  > &#126;~~~\n</p>');
  const script = `<script type="text/markdown">\n${fence}\n</script>`;
  t.is(html(`${script}\n${fence}`).text, `${script}\n&#96;\`\`sh\n{{ rm }}\n&#96;\`\``);
  t.is(html('<code>```</code>').text, '<code>```</code>', 'not at the start of a line');
});

test('HTML has neither a placeholder of Hexo nor the end of an excerpt', (t) => {
  t.is(html('<p>a</p><!--swig\ufffc0-->').text, '<p>a</p><!--swig&#xFFFC;0-->');
  t.is(html('<p>&lt;!--code\ufffc12--&gt; \ufffc</p>').text, '<p>&lt;!--code&#xFFFC;12--&gt; \ufffc</p>');
  for (const more of ['<!--more-->', '<!-- more -->', '<!-- MORE-->'])
    t.notRegex(html(`<div>a${more}b</div>`).text, /<!-- ?more ?-->/i, more);
});
