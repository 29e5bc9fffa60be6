import test from 'ava';
import { judgePage, judgeTrial, type TrialPage } from '../../../../src/deploy/trial/judge-trial.js';

const SITE = 'https://garden.example/base';
const JSON_LD = '<script type="application/ld+json">{"@type":"Article"}</script>';

/** What was sent. */
function sent(over: Partial<TrialPage['article']['data']> = {}): TrialPage {
  const data = {
    id: 'a',
    title: 'A "quoted" title',
    slug: 'a',
    content_html: '<p>First {{ 6*7 }} &amp; &lt;b&gt;.</p>\n<pre><code>two\n\n  lines</code></pre>',
    content_markdown: '',
    meta_description: '',
    focus_keyword: '',
    featured_image_url: null,
    tags: [],
    author: '',
    published_at: '2025-01-01T00:00:00Z',
    json_ld: JSON_LD,
    ...over,
  };
  return { article: { name: 'the article', fragment: '{{ 6*7 }}', data }, file: 'a.md', url: `${SITE}/a/` };
}

const COMMENT = '<!-- svc:item:a -->';
const GOOD = `<!doctype html><html><head><title>Site</title>${JSON_LD}</head><body><h1>A “quoted” title</h1>
<p>First {{ 6*7&nbsp;}} &#38; <span>&lt;</span>b&gt;.</p><pre><code>two

  lines</code></pre>${COMMENT}</body></html>`;

const kinds = (html: string, page = sent()) => judgePage(html, page).map(({ kind }) => kind);

test('a page that shows what was sent has no fault, whatever the spaces, references and typographic signs', (t) => {
  t.deepEqual(judgePage(GOOD, sent()), []);
  t.deepEqual(kinds(GOOD.replaceAll(JSON_LD, ''), sent({ json_ld: '' })), []);
});

test('each fault of a page is found', (t) => {
  t.deepEqual(kinds(GOOD.replace('“quoted”', '')), ['title']);
  t.deepEqual(kinds(GOOD.replace('{{ 6*7&nbsp;}}', '42')), ['text']);
  t.regex(
    judgePage(GOOD.replace('{{ 6*7&nbsp;}}', '42'), sent())[0]?.text ?? '',
    /^the article: "First \{\{ 6\*7 \}\} & <b>\." of its text is not displayed as it was sent, but as "First 42 & <b>\."$/,
  );
  t.deepEqual(kinds(GOOD.replace('two', '')), ['text']);
  t.deepEqual(
    kinds(GOOD.replace('<p>First', '<template><p>First').replace('</pre>', '</pre></template>')),
    [],
  );
  t.deepEqual(kinds(GOOD.replace(COMMENT, '')), ['comment']);
  t.deepEqual(kinds(GOOD.replace(COMMENT, COMMENT + COMMENT)), ['comment']);
  t.deepEqual(kinds(GOOD.replace(JSON_LD, '')), ['json-ld']);
  t.deepEqual(kinds(GOOD.replace(JSON_LD, '').replace('<h1>', `${JSON_LD}<h1>`)), ['json-ld']);
  t.deepEqual(kinds(GOOD.replace('<h1>', `${JSON_LD}<h1>`)), ['json-ld']);
});

test('a page elsewhere, a secret in any file and a page that is lost are found', (t) => {
  const judge = (files: Record<string, string>) =>
    judgeTrial({
      siteUrl: SITE,
      pages: [sent()],
      before: new Set(['index.html', 'old/index.html', 'style.css']),
      files: new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
      secrets: [{ text: '1234567', how: 'a template has run' }],
    }).map(({ kind, text }) => `${kind}: ${text}`);
  const others = { 'index.html': '', 'old/index.html': '' };
  t.deepEqual(judge({ ...others, 'a/index.html': GOOD }), []);
  t.deepEqual(judge({ ...others, 'a.html': GOOD, 'feed.xml': '<a>1234567</a>' }), [
    `no page: the article: the built site has no page at ${SITE}/a/; it is at ${SITE}/a.html`,
    'ran: feed.xml: a template has run',
  ]);
  t.deepEqual(judge({ ...others, 'posts/x/index.html': GOOD }), [
    `no page: the article: the built site has no page at ${SITE}/a/; it is at ${SITE}/posts/x/`,
  ]);
  t.deepEqual(judge({ 'index.html': '', 'a/index.html': GOOD.replace('two', 'two 1234567') }).length, 3);
  t.deepEqual(judge({ 'index.html': '', 'a/index.html': GOOD }), [
    'page lost: /old/ is not built any more when there are articles',
  ]);
});
