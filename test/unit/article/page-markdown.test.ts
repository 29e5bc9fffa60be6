import test from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { decodeForPages, encodeFirst } from '../../../src/article/codec.js';
import { renderMarkdown } from '../../../src/article/markdown.js';
import { markdownForPage } from '../../../src/article/page-markdown.js';
import { article } from '../../support/events.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';

const LONG = 'Out of the *wind*.\n\n'.repeat(5_000);

test('long Markdown is rendered for a page as short Markdown is', (t) => {
  for (const text of ['', 'A *hive*.', LONG, `${LONG}<b>`, LONG])
    t.is(markdownForPage(text), renderMarkdown(text));
});

test('Markdown that takes too long is shown on its page as it is written, and the next article is rendered', (t) => {
  const endless = `<b> & ${HOSTILE_TEXTS['lines in nested quotes']?.(3_000_000)}`;
  const url = 'https://garden.example/a/';
  const draft = draftOf(article({ content_html: '', content_markdown: endless }));
  const { text } = encodeFirst({ ...draft, url, updated: null });
  const { html } = decodeForPages(text, { id: 'a', slug: 'a', url: () => url });
  t.is(
    html(),
    `<pre>&lt;b&gt; &amp; ${endless.slice('<b> & '.length).replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>\n`,
  );
  t.is(markdownForPage(LONG), renderMarkdown(LONG));
});
