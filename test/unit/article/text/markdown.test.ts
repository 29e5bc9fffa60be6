import test from 'ava';
import { draftOf } from '../../../../src/article/article.js';
import { plainFormat } from '../../../../src/article/format/plain.js';
import { renderedHtml } from '../../../../src/article/stored-article.js';
import { isSlowMarkdown } from '../../../../src/article/text/markdown.js';
import { article } from '../../../support/events.js';

const URL = 'https://garden.example/a/';

function pageOf(contentHtml: string, markdown: string): string {
  const draft = draftOf(article({ content_html: contentHtml, content_markdown: markdown }));
  const format = plainFormat(() => URL);
  const { text } = format.encode({ ...draft, url: URL, updated: null }, 'a.md');
  return renderedHtml(format.decode(text, 'a.md'));
}

test('long and deeply nested Markdown is not rendered: the HTML that came with it is shown, or the text as it is', (t) => {
  const words = 'Out of the *wind*.\n\n';
  t.false(isSlowMarkdown(words.repeat(3_000)));
  for (const text of [words.repeat(4_000), '['.repeat(100), `${'> '.repeat(20)}a`]) {
    t.true(isSlowMarkdown(text));
    const stored = { bodyEdited: true, article: { body: text, contentHtml: '<p>As it came.</p>' } };
    t.is(renderedHtml(stored), '<p>As it came.</p>');
  }
  t.is(
    pageOf('', `<b> & ${words.repeat(4_000)}`),
    `<pre style="white-space: pre-wrap">&lt;b&gt; &amp; ${words.repeat(4_000)}</pre>\n`,
  );
});
