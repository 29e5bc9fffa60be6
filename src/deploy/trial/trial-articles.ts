import { itemComment } from '../../article/article.js';
import { renderMarkdown } from '../../article/markdown.js';

/** The data of an article as the service sends it. */
export interface SentArticle {
  id: string;
  title: string;
  slug: string;
  content_html: string;
  content_markdown: string;
  meta_description: string;
  focus_keyword: string;
  featured_image_url: string | null;
  tags: string[];
  author: string;
  published_at: string;
  json_ld: string;
}

/** An article by which it is found out whether a site displays articles as they were sent. */
export interface TrialArticle {
  /** Completes the sentence "the page of …". */
  readonly name: string;
  /** The hostile text that all its fields have; undefined for an ordinary article. */
  readonly fragment: string | undefined;
  readonly data: SentArticle;
  /** Whether the article has Markdown. The page of one that has none shows `content_html` node by node. */
  readonly form: 'markdown' | 'html';
  /** Whether the page must show every tag. A generator cannot make the page of a tag such as `{#`. */
  readonly tagged: boolean;
}

/** What templates in trial articles try to do. */
export interface Probe {
  /** A file that code in a template would write. */
  readonly canary: string;
  /** Two numbers that templates would multiply. */
  readonly factors: readonly [number, number];
}

/** Late in the day, so that the date is another one in Asia; long ago, so that no generator takes it for the future. */
export const PUBLISHED_AT = '2025-05-31T20:30:00Z';
/** The date of updates. */
export const UPDATED_AT = '2025-08-02T09:15:00Z';

/** HTML of Markdown, as the service sends both. */
const htmlOf = (markdown: string) => renderMarkdown(markdown).trim();

/** As many content services write it: no `<` inside, whatever the title. */
const jsonLd = (headline: string) =>
  ['BlogPosting', 'Organization']
    .map((type) => JSON.stringify({ '@context': 'https://schema.org', '@type': type, headline }))
    .map((json) => `<script type="application/ld+json">${json.replaceAll('<', String.raw`\u003c`)}</script>`)
    .join('\n');

/** A body with its item comment, in Markdown and HTML, or in HTML alone. */
export function bodyOf(
  form: TrialArticle['form'],
  text: string,
  item: string,
): Pick<SentArticle, 'content_html' | 'content_markdown'> {
  const html = form === 'markdown' ? htmlOf(text) : text;
  return {
    content_html: `${html}\n${itemComment(item)}`,
    content_markdown: form === 'markdown' ? `${text}\n\n${itemComment(item)}` : '',
  };
}

function article(
  name: string,
  form: TrialArticle['form'],
  text: string,
  over: Partial<SentArticle> & Pick<SentArticle, 'id' | 'title'>,
  { fragment, tagged = true }: Partial<Pick<TrialArticle, 'fragment' | 'tagged'>> = {},
): TrialArticle {
  const data: SentArticle = {
    slug: over.id,
    ...bodyOf(form, text, over.id),
    meta_description: 'What a hive needs when there is no garden.',
    focus_keyword: 'balcony bees',
    featured_image_url: 'https://images.example/hive.jpg',
    tags: ['bees', 'city'],
    author: 'Marta Oak',
    published_at: PUBLISHED_AT,
    json_ld: jsonLd(over.title),
    ...over,
  };
  return { name, fragment, data, form, tagged };
}

/** Articles as people have them every day. */
export function ordinaryArticles(): TrialArticle[] {
  return [
    article('an article with all that Markdown has', 'markdown', EVERYDAY_MARKDOWN, {
      id: 'ordinary-markdown',
      title: 'Ein Beet für Käfer & „Würmer“ 🐞',
      slug: 'ein-beet-fuer-kaefer',
      tags: ['beetles', 'Grüne Ecke'],
      featured_image_url: 'https://images.example/beetle%20bank.jpg',
    }),
    article('an article without Markdown', 'html', EVERYDAY_HTML, {
      id: 'ordinary-html',
      title: 'A pond in a "washing-up" bowl',
      slug: 'a-pond-in-a-bowl',
      tags: ['water'],
      featured_image_url: null,
    }),
    article('an article without tags, image, slug and description', 'markdown', 'One paragraph.', {
      id: 'ordinary-bare',
      title: 'Nothing but a paragraph',
      slug: 'ordinary-bare',
      tags: [],
      featured_image_url: null,
      meta_description: '',
      focus_keyword: '',
      json_ld: '',
    }),
  ];
}

const EVERYDAY_MARKDOWN = `Käfer lieben *Unordnung*: Laub, **Äste** und Steine. 🍂

## Was hinein gehört

1. Totholz
2. Laub
   - vom Apfelbaum
   - von der Eiche

![A heap of branches](https://images.example/heap.jpg)

\`\`\`js
const beetles = ['ground', 'stag']; // {two} of {{many}}

beetles.forEach((one) => console.log(\`<\${one}>\`));
\`\`\`

> Wer wartet, sieht mehr.

Ten minutes | once a week | are enough.

| Month | Work |
| --- | --- |
| May | none |
| October | pile up leaves |

An address: <https://example.org/beetles?a=1&b=2>, a [link](/about/ "About us") and \`code with <b>\`.`;

const EVERYDAY_HTML = `<p>Frogs find it <em>by themselves</em>: &lt;wait&gt; &amp; see.</p>
<pre><code class="language-sh">dig --deep 30

  fill   --with rain
</code></pre>
<figure>
  <img src="https://images.example/pond.jpg" alt="A bowl" width="640" height="480">

  <figcaption>Teich, gefüllt — nach einer Woche 🐸</figcaption>
</figure>
<table><tbody><tr><td>Depth</td><td>30 cm</td></tr></tbody></table>
<ul><li>stones</li><li>one   plant</li></ul>`;

/** In two pieces, as this file reads no environment itself. */
const ENVIRONMENT = ['process', 'env'].join('.');

/** Texts that a template engine, a Markdown dialect or a parser of front matter would act on. */
export function hostileTexts({ canary, factors: [a, b] }: Probe): string[] {
  const write = `require("fs").writeFileSync(${JSON.stringify(canary)}, "")`;
  return [
    `{{ ${a}*${b} }}`,
    `{{ mul ${a} ${b} }}`,
    `{{ ${a} | times: ${b} }}`,
    `<%= ${a}*${b} %>`,
    `{${a}*${b}}`,
    '{{- 7*7 -}} and {%- assign a = 1 -%}',
    '{% include ".env" %}',
    '{% include_relative ../.env %}',
    '{{< readfile ".env" >}}',
    '{{% include ".env" %}}',
    '{{ readFile ".env" }} {{ os.Getenv "PRESSMARK_SECRET" }}',
    '{{< unknown >}}',
    '{{</* unknown */>}}',
    'unclosed {{<',
    'unclosed {{%',
    'unclosed {{',
    'unclosed {%',
    'unclosed {#',
    '{# a comment #} of a template',
    `<%= ${ENVIRONMENT}.PRESSMARK_SECRET %>`,
    `<% process.mainModule.${write} %>`,
    `{{ range.constructor("return process.mainModule.${write.replaceAll('"', "'")}")() }}`,
    `{{ range.constructor("return ${ENVIRONMENT}.PRESSMARK_SECRET")() }}`,
    '---\nlayout: none\n---',
    '+++\ndraft = true\n+++',
    `{${ENVIRONMENT}.PRESSMARK_SECRET}`,
    `import fs from 'node:fs'`,
    'export const prerender = false;',
    '{% raw %}',
    `{% endraw %} {{ ${a}*${b} }} {% raw %}`,
    '{% comment %} hidden {% endcomment %}',
    '{::options template="../.env" /}',
    '{::comment}hidden{:/comment}',
    'a word {:.x}',
    'a word {#with-an-id}',
    'a word {.with-a-class}',
    'a question ![x](./missing.png)',
    'key: value # no comment',
    '!!js/function "function () { throw 1 }"',
    '&anchor *anchor',
    '- [ "unclosed',
    `'single', "double" and \\ backslash`,
    '%{percent} @at `tick',
    'a | b | c',
    'a reference &#xD800; of no character',
  ];
}

/** Hostile articles: each text from every field, in an article with Markdown and in one without. */
export function hostileArticles(probe: Probe): TrialArticle[] {
  return hostileTexts(probe).flatMap((text, index) => [
    hostileArticle('markdown', text, index),
    hostileArticle('html', text, index),
  ]);
}

/** A hostile article in one form; `index` is that of the text. */
function hostileArticle(form: TrialArticle['form'], text: string, index: number): TrialArticle {
  const number = String(index + 1).padStart(2, '0');
  const isMarkdown = form === 'markdown';
  const fields = {
    id: `hostile-${number}-${form}-${text}`,
    slug: isMarkdown ? `hostile-${number}-${text}` : text,
    title: isMarkdown ? text : `In the middle ${text} of title ${number}`,
    meta_description: `Description: ${text}`,
    focus_keyword: text,
    author: text,
    featured_image_url: `https://images.example/${number}.jpg?${text}`,
    // Not with a slash, which no generator allows in the name of a page. Tags as they are have an article of their own.
    tags: [`tag ${number} ${text.replace(/[\n/\\]/g, ' ')}`],
  };
  const name = `${isMarkdown ? 'a Markdown' : 'an HTML'} article with ${JSON.stringify(text)}`;
  return article(name, form, isMarkdown ? hostileMarkdown(text) : hostileHtml(text), fields, {
    fragment: text,
  });
}

/** An article whose tags are hostile texts and nothing else. */
export function hostileTags(probe: Probe): TrialArticle {
  const over = { id: 'hostile-tags', title: 'Every hostile tag', tags: hostileTexts(probe) };
  return article('an article whose tags are hostile texts', 'markdown', 'Its tags.', over, { tagged: false });
}

/** An article, and the update that replaces all that an update may replace. */
export interface TrialUpdate {
  readonly first: TrialArticle;
  readonly next: TrialArticle;
}

/** Harmless articles that hostile updates replace, those with Markdown by HTML and the others by Markdown. */
export function hostileUpdates(probe: Probe): TrialUpdate[] {
  return hostileTexts(probe).flatMap((fragment, index) =>
    (['markdown', 'html'] as const).map((form): TrialUpdate => {
      const id = `updated-${index + 1}-to-${form}`;
      const other = form === 'html' ? 'markdown' : 'html';
      const text = form === 'html' ? 'Before the update.' : '<p>Before the update.</p>';
      const first = article('an article before its update', other, text, { id, title: id });
      const { data, ...rest } = hostileArticle(form, fragment, index);
      const body = bodyOf(form, form === 'html' ? hostileHtml(fragment) : hostileMarkdown(fragment), id);
      const next = { ...data, ...body, id, slug: id, published_at: UPDATED_AT };
      return { first, next: { ...rest, name: `${rest.name}, as an update`, data: next } };
    }),
  );
}

/** A text at every place of Markdown. */
export function hostileMarkdown(text: string): string {
  const isLine = !text.includes('\n');
  return [
    text,
    `In a sentence ${text} of a paragraph.`,
    ...(isLine ? [`## In a heading ${text}`] : []),
    `In a code span: ${codeSpan(text)}.`,
    `\`\`\`text\n${text}\n\n  ${text}\n\`\`\``,
    // Not in each, as Eleventy gets HTML where a line is code because it is indented.
    ...(isLine && text.length % 2 === 0 ? [`    ${text}`] : []),
    ...(isLine ? [`- in a list ${text}`, `> In a quotation ${text}`] : []),
    `The last word: ${text}`,
  ].join('\n\n');
}

const codeSpan = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

/** A text at every place of HTML: as text, in an attribute, in `pre`, in a script of data and in a comment. */
export function hostileHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    `<p>${escaped}</p>`,
    `<h2 title="${escaped.replaceAll('"', '&quot;')}">In a heading ${escaped}</h2>`,
    // A `<` before a space, a sign or the end of an element does not start one.
    `<p>Unescaped: ${text}</p>`,
    `<pre><code>${escaped}\n\n  ${escaped}\n</code></pre>`,
    `<script type="text/plain">${text}</script>`,
    `<!-- ${text} -->`,
    `<blockquote>\n\n${escaped}\n\n</blockquote>`,
  ].join('\n');
}
