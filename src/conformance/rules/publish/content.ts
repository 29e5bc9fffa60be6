import { shown } from '../../../sender/delivery/answer-checks.js';
import { expectSameHtml, expectSameText, expectThat } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import { expectOwnContent } from './redelivery.js';

const LIST = `
# Article; V2; needs lookup-200
74 content-item-comment (Body additions): The item comment at the end of the body is kept.
  Keep HTML comments, and do not escape them: the service recognises the article by the item comment.
75 content-same: A lookup returns the published HTML with the same elements and texts.
78 content-verbatim (should): A lookup returns exactly the characters of the published HTML.
83 content-crlf (should): Line ends come back unchanged, CR LF among LF.
  Store content_html unchanged, and answer the same text.
76 content-unicode: Letters of all scripts, combining marks, emoji, U+2028 and text from right to left come back, normalised or not.
  Store UTF-8 with four bytes a character (in MySQL: utf8mb4).
77 content-entities: Character references come back with the same meaning.
  Do not decode or encode HTML before you store it.
79 content-template-signs: The signs of template languages and shells come back unchanged.
  Do not pass content through a template, a shell, printf or the replacement of a regular expression.
80 content-front-matter-signs: Lines that look like the fences of front matter come back unchanged.
  If articles are files, quote lines that could be read as a fence.
81 content-markup (Body additions; should): Tracking markup, scripts, styles and data attributes come back unchanged.
  Do not sanitise the body, or allow all of these.
82 content-500-kb: A body of 500,000 characters comes back whole.
  Raise the limit of the column or of the body parser (in MySQL: LONGTEXT; in nginx: client_max_body_size 2m).
85 content-title (should): A title with quotes, a colon, angle brackets and emoji comes back unchanged.
  Escape the title when you show it, not when you store it.
`;

type Compare = (what: string, expected: string, got: unknown) => void;

/** Compares texts in any Unicode normalisation. */
const expectSameLetters: Compare = (what, expected, got) =>
  expectSameHtml(what, expected.normalize(), typeof got === 'string' ? got.normalize() : got);

const ENTITIES = '<p>&lt;b&gt; &amp;amp; &nbsp; &#8212; &quot;it’s&quot;</p>';

const LARGE = 500_000;

/** Publishes an article with this body, and compares it with the lookup's answer. */
const comesBack =
  (name: string, body: (id: string, comment: string) => string, compare: Compare = expectSameHtml) =>
  async (session: Session) => {
    const { data, url } = await session.stored(name, (id, comment) => ({ content_html: body(id, comment) }));
    compare('content_html', data.content_html, (await session.lookup(url())).content_html);
  };

const withComment = (html: string) => (_id: string, comment: string) => `${html}\n${comment}`;

/** Half a megabyte of distinct paragraphs, and the item comment. */
export function large(comment: string): string {
  const line = (n: number) =>
    `<p>Paragraph ${n} of a long article, ${(n * 2_654_435_761) % 4_294_967_296}.</p>\n`;
  let html = '';
  for (let n = 0; html.length < LARGE; n++) html += line(n);
  return `${html}${comment}`;
}

/** Lookups return the published content. */
export const CONTENT_RULES = rules(LIST, {
  'content-item-comment': async (session) => {
    const { data, url } = await session.main();
    const { content_html: html } = await session.lookup(url());
    expectThat(html.includes(session.comment(data.id)), session.comment(data.id), shown(html.slice(-80)));
  },
  'content-same': async (session) => expectOwnContent(session, [await session.main()]),
  'content-verbatim': comesBack('verbatim', withComment(`${ENTITIES}\n<p>e\u0301</p>`), expectSameText),
  'content-crlf': comesBack(
    'line-ends',
    withComment('<pre>one\r\ntwo\nthree\r\n\r\nfour</pre>'),
    expectSameText,
  ),
  'content-unicode': comesBack(
    'unicode',
    withComment('<p>Grüße e\u0301 é 世界 שלום 👩‍👩‍👧 𝄞 a\u2028b\u00a0c\u200dd</p>'),
    expectSameLetters,
  ),
  'content-entities': comesBack('entities', withComment(ENTITIES)),
  'content-template-signs': comesBack(
    'signs',
    withComment('<p>{{ title }} {% raw %} <%= 1 %> $HOME $1 $& \\1 \\n %s %20 :tada:</p>'),
  ),
  'content-front-matter-signs': comesBack(
    'fences',
    withComment('---\n<p>One</p>\n---\n+++\n```\n<p>Two</p>\n---'),
  ),
  'content-markup': comesBack(
    'markup',
    withComment(
      '<img src="https://count.example/1.gif" width="1" height="1" alt="" data-view="1">\n<script async src="https://count.example/1.js"></script><style>p{margin:0}</style>',
    ),
  ),
  'content-500-kb': comesBack('large', (_id, comment) => large(comment)),
  'content-title': async (session) => {
    const title = 'Pressmark check: "quotes", it’s <b> & 50% #1 🌍';
    const { url } = await session.stored('title', () => ({ title }));
    expectSameText('title', title, (await session.lookup(url())).title);
  },
});
