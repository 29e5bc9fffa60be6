import test from 'ava';
import { htmlBlock } from '../../../../src/generators/mapping/html-block.js';
import { fc } from '../../../support/property.js';

// Astro 5.18 and 7.3 built these; the browser's text is that of the HTML as it was sent.
test('HTML in a Markdown file has no blank line, and displays the same', (t) => {
  t.is(
    htmlBlock('<h2>One</h2>\n\n<pre><code>a {x}\n\n\n  b\n\n</code></pre>\n\n    <p>a\r\n\r\nb</p>\n'),
    '<div>\n<h2>One</h2>\n&#10;<pre><code>a {x}\n&#10;\n  b\n&#10;</code></pre>\n&#10;    <p>a\n&#10;b</p>\n</div>',
  );
  t.is(
    htmlBlock(
      '<script>\nvar a;\n\nvar b;\n</script>\n\n<p\n\ntitle="a\n\nb"><textarea>a\n\nb</textarea></p>',
    ),
    '<div>\n<script>\nvar a;\nvar b;\n</script>\n&#10;<p\ntitle="a\n&#10;b"><textarea>a\n&#10;b</textarea></p>\n</div>',
  );
});

test('HTML closes what it opens, and nothing of the page around it', (t) => {
  t.is(htmlBlock('</div></article></main></body></html><p>x</p>'), '<div>\n<p>x</p>\n</div>');
  t.is(htmlBlock('<section><p>x<!-- open'), '<div>\n<section><p>x<!-- open--></section>\n</div>');
  t.is(htmlBlock('<p>x</p><script>let a'), '<div>\n<p>x</p><script>let a</script>\n</div>');
  t.is(htmlBlock('<b>x<a href="y'), '<div>\n<b>x<a href="y"></a></b>\n</div>');
  t.is(htmlBlock('<ul><li>a<li>b</ul></ul>c'), '<div>\n<ul><li>a<li>b</ul>c\n</div>');
  t.is(htmlBlock('<plaintext>x'), '<div>\n&lt;plaintext>x\n</div>');
});

test('HTML in a Markdown file is one block for every Markdown parser, whatever it holds', (t) => {
  const piece = fc.constantFrom(
    ...['\n', '\n\n', ' ', '\t', '\r\n', 'x', '<p>', '</p>', '<pre>', '</pre>', '<!--', '-->'],
    ...['<script>', '</script>', '<a title="', '"', "'", '>', '<', '</', '<![CDATA[', ']]>', '<textarea>'],
    ...['</textarea>', '</div>', '<svg/>', '='],
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const block = htmlBlock(parts.join(''));
        return block.startsWith('<div>\n') && block.endsWith('</div>') && !/\n[ \t]*\n/.test(block);
      }),
    ),
  );
});
