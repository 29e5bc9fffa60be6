import test from 'ava';
import {
  escapedMarkdown,
  type MarkdownEscapes,
  withoutCode,
} from '../../../../src/generators/mapping/escape-markdown.js';

/** As for a generator that acts on braces: references in prose, HTML for code spans. */
const BRACES: MarkdownEscapes = {
  prose: (source) => source.replaceAll('{', '&#123;'),
  inlineCode: (source) =>
    source.includes('{')
      ? `<code>${source
          .replace(/^`+|`+$/g, '')
          .replaceAll('`', '&#96;')
          .replaceAll('{', '&#123;')}</code>`
      : source,
};

test('prose, code spans and blocks of code are escaped each in its way', (t) => {
  for (const [markdown, escaped] of [
    ['A {word} and `{code}`.', 'A &#123;word} and <code>&#123;code}</code>.'],
    ['# {h}\n\n```js\n{a} `{b}`\n```\n\n{c}', '# &#123;h}\n\n```js\n{a} `{b}`\n```\n\n&#123;c}'],
    ['- {l}\n\n  ~~~\n  {a}\n  ~~~\n\n      {b}', '- &#123;l}\n\n  ~~~\n  {a}\n  ~~~\n\n      {b}'],
    ['> ``{a ` b`` {c}\n> `d` {e}', '> <code>&#123;a &#96; b</code> &#123;c}\n> `d` &#123;e}'],
    [
      '| {a} | `{b}` |\n| - | - |\n| `{c}` | {d} |',
      '| &#123;a} | <code>&#123;b}</code> |\n| - | - |\n| <code>&#123;c}</code> | &#123;d} |',
    ],
    ['[a](https://x.example/{b} "{c}")', '[a](https://x.example/&#123;b} "&#123;c}")'],
    ['\\`{a}\\` and `` unclosed {b}', '\\`&#123;a}\\` and `` unclosed &#123;b}'],
  ] as const)
    t.is(escapedMarkdown(markdown, BRACES), escaped);
});

test('Markdown without anything to escape stays byte for byte', (t) => {
  const markdown = '---\r\n\r\nA *word* and `code`.\r\n';
  t.is(escapedMarkdown(markdown, BRACES), markdown);
});

test('code that is not surely code is prose, and an escape in it makes the article HTML', (t) => {
  t.is(escapedMarkdown('<https://x.example/`> `{a}` `', BRACES), undefined);
  t.is(escapedMarkdown('> `{a\n> b}`', BRACES), undefined);
  // Between the quotes of a tag, backticks begin no code.
  t.is(escapedMarkdown('<b title="`{a}`">x</b>', BRACES), '<b title="`&#123;a}`">x</b>');
  t.is(escapedMarkdown('['.repeat(100), BRACES), undefined, 'takes long');
});

test('certain code is left out of a text that is searched for markup', (t) => {
  for (const [markdown, prose] of [
    ['a `<b>` c', 'a `` c'],
    ['> - ```html {1}\n>   <b>\n>   ```\n\nd <i>', '> - ```html {1}\n\nd <i>'],
    ['```\n<b>', '```\n'],
    // In a footnote, a definition or an element, other parsers see no code here.
    ['[^1]: a\n\n    <b>\n', '[^1]: a\n\n    <b>\n'],
    ['<p>\n```\n<b>\n```\n</p>', '<p>\n```\n<b>\n```\n</p>'],
    ['<i title="`">`<b>`', '<i title="`">`<b>`'],
    ['# a `</script>`', '# a `</script>`'],
    ['`<b>` '.repeat(20_000), '`<b>` '.repeat(20_000)],
  ] as const)
    t.is(withoutCode(markdown), prose);
});
