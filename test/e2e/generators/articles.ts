import { itemComment } from '../../../src/article/article.js';
import { renderMarkdown } from '../../../src/article/text/markdown.js';
import type { PublishedData } from '../../support/events.js';

/** An article that is sent to the receiver of a site, and what is expected of its page. */
export interface Sample {
  /** Completes the sentence "the page of …". */
  readonly name: string;
  readonly data: PublishedData;
  /** Whether the article has Markdown. The page of one that has none shows `content_html` node by node. */
  readonly form: 'markdown' | 'html';
  /** Whether the page must show every tag. A generator cannot make the page of a tag such as `{#`. */
  readonly tagged: boolean;
  /** Whether it is HTML that has replaced Markdown, in a file whose name says Markdown. @default false */
  readonly isHtmlInMarkdown?: boolean;
  /** The hostile text that is in each of its fields. */
  readonly hostileText?: string;
}

/** What templates would multiply. */
const FACTORS = [7919, 7907] as const;
/** What no page may show. */
export const PRODUCT = String(FACTORS[0] * FACTORS[1]);

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
function bodyOf(
  form: Sample['form'],
  text: string,
  item: string,
): Pick<PublishedData, 'content_html' | 'content_markdown'> {
  const html = form === 'markdown' ? htmlOf(text) : text;
  return {
    content_html: `${html}\n${itemComment(item)}`,
    content_markdown: form === 'markdown' ? `${text}\n\n${itemComment(item)}` : '',
  };
}

function article(
  name: string,
  form: Sample['form'],
  text: string,
  over: Partial<PublishedData> & Pick<PublishedData, 'id' | 'title'>,
  tagged = true,
): Sample {
  const data: PublishedData = {
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
  return { name, data, form, tagged };
}

/** Articles as people have them every day. */
export function ordinaryArticles(): Sample[] {
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

/** An article with a word of its own in each of its fields. @param title begins its title, as in `Held`. */
export function markedArticle(word: string, title: string, published_at = PUBLISHED_AT): Sample {
  return article(`the article of the ${word}`, 'markdown', `Nobody has seen a ${word} here.`, {
    id: word,
    slug: `one-${word}`,
    title: `${title} ${word}`,
    meta_description: `About a ${word}.`,
    focus_keyword: word,
    tags: [word],
    published_at,
  });
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

/**
 * Texts that a template engine, a Markdown dialect or a parser of front matter would act on.
 *
 * @param canary a file that code in a template would write.
 */
function hostileTexts(canary: string): string[] {
  const [a, b] = FACTORS;
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
    `<%= process.env.PRESSMARK_SECRET %>`,
    `<% process.mainModule.${write} %>`,
    `{{ range.constructor("return process.mainModule.${write.replaceAll('"', "'")}")() }}`,
    `{{ range.constructor("return process.env.PRESSMARK_SECRET")() }}`,
    '---\nlayout: none\n---',
    '+++\ndraft = true\n+++',
    `{process.env.PRESSMARK_SECRET}`,
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
    'a reference &#xD800; of no character, <!--@include: ../.env--> and </script>',
  ];
}

/**
 * Hostile articles: each text from every field, in turn in an article with Markdown and in one without.
 *
 * @param every takes each so-manyth text, and no other.
 */
export function hostileArticles(canary: string, every = 1): Sample[] {
  return hostileTexts(canary).flatMap((text, index) =>
    index % every === 0 ? [hostileArticle((index / every) % 2 === 0 ? 'markdown' : 'html', text, index)] : [],
  );
}

/** A hostile article in one form; `index` is that of the text. */
function hostileArticle(form: Sample['form'], text: string, index: number): Sample {
  const number = String(index + 1).padStart(2, '0');
  const isMarkdown = form === 'markdown';
  const fields = {
    // It stands in a comment, which it may not end.
    id: `hostile-${number}-${form}-${text.replaceAll('-->', '')}`,
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
  return { ...article(name, form, hostileBody(form, text), fields), hostileText: text };
}

/** A hostile article with another text, as HTML where it was Markdown and the other way round. */
export function swapped(sample: Sample, text: string): Sample {
  const form = sample.form === 'markdown' ? 'html' : 'markdown';
  const body = bodyOf(form, hostileBody(form, text), sample.data.id);
  return {
    ...sample,
    name: `${sample.name}, updated to ${form}`,
    data: { ...sample.data, ...body, title: `Updated: ${text}` },
    form,
    isHtmlInMarkdown: form === 'html',
  };
}

const hostileBody = (form: Sample['form'], text: string) =>
  form === 'markdown' ? hostileMarkdown(text) : hostileHtml(text);

/** An article whose tags are hostile texts and nothing else. */
export function hostileTags(canary: string): Sample {
  const over = { id: 'hostile-tags', title: 'Every hostile tag', tags: hostileTexts(canary) };
  return article('an article whose tags are hostile texts', 'markdown', 'Its tags.', over, false);
}

/** A text at every place of Markdown. */
function hostileMarkdown(text: string): string {
  const isLine = !text.includes('\n');
  return [
    text,
    `In a sentence ${text} of a paragraph.`,
    ...(isLine ? [`## In a heading ${text}`] : []),
    `In a code span: ${codeSpan(text)}.`,
    `\`\`\`text\n${text}\n\n  ${text}\n\`\`\``,
    ...(isLine && text.length % 2 === 0 ? [`    ${text}`] : []),
    ...(isLine ? [`- in a list ${text}`, `> In a quotation ${text}`] : []),
    `The last word: ${text}`,
  ].join('\n\n');
}

const codeSpan = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

/** A text at every place of HTML: as text, in an attribute, in `pre`, in a script of data and in a comment. */
function hostileHtml(text: string): string {
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
