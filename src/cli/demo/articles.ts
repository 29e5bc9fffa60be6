import { itemComment } from '../../sender/article/sample-event.js';

/** What the demo's service has to say: the fields of an article that differ. */
export interface DemoArticle {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly meta_description: string;
  readonly tags: readonly string[];
  readonly content_html: string;
  readonly content_markdown: string;
  readonly author: string;
  /** A file of `static/pictures/` in the demo's site. */
  readonly picture: string;
}

/** Three short articles with what real ones have: headings, a list, a table, code, a quote. */
export const DEMO_ARTICLES: readonly DemoArticle[] = [
  {
    id: 'demo-1',
    title: 'What a pressmark is',
    slug: 'what-a-pressmark-is',
    meta_description: 'A small mark in an old book, and why a publishing tool is named after it.',
    tags: ['names', 'libraries'],
    author: 'Ada Finch',
    picture: 'shelves.svg',
    content_html: `<p>Open an old library book at its first page, and you may find a few letters and figures in the corner: the room, the press, the shelf. That is its pressmark. It says nothing of what the book is about. It says where the book <em>stands</em>.</p>
<h2>One place for each thing</h2>
<p>A reader who knows the mark finds the book without asking anybody. A librarian who reads the mark knows where to put it back. Nothing can stand in two places, and nothing that has a place gets lost.</p>
<blockquote><p>First the place, then the praise.</p></blockquote>
<p>This site keeps its articles the same way: one file, one address, one commit.</p>
${itemComment('demo-1')}`,
    content_markdown: `Open an old library book at its first page, and you may find a few letters and figures in the corner: the room, the press, the shelf. That is its pressmark. It says nothing of what the book is about. It says where the book *stands*.

## One place for each thing

A reader who knows the mark finds the book without asking anybody. A librarian who reads the mark knows where to put it back. Nothing can stand in two places, and nothing that has a place gets lost.

> First the place, then the praise.

This site keeps its articles the same way: one file, one address, one commit.

${itemComment('demo-1')}
`,
  },
  {
    id: 'demo-2',
    title: 'Why the answer comes last',
    slug: 'why-the-answer-comes-last',
    meta_description: 'A receiver that says yes before the disk does can lose what it was given.',
    tags: ['durability', 'webhooks'],
    author: 'Ada Finch',
    picture: 'dial.svg',
    content_html: `<p>Between “received” and “kept” lies a gap of a few milliseconds. A power cut fits into it easily.</p>
<h2>The order of things</h2>
<ol><li>Write the article into a new file.</li><li>Wait until the disk has it.</li><li>Give the file its name.</li><li>Wait until the disk has the name too.</li><li>Answer.</li></ol>
<p>Leave out any of these waits, and one day the sender will think that an article arrived which nobody can find.</p>
<table><thead><tr><th>Left out</th><th>What a power cut may take</th></tr></thead><tbody><tr><td>the first wait</td><td>the words</td></tr><tr><td>the second wait</td><td>the file’s name, and so the words</td></tr></tbody></table>
${itemComment('demo-2')}`,
    content_markdown: '',
  },
  {
    id: 'demo-3',
    title: 'Two people, one paragraph',
    slug: 'two-people-one-paragraph',
    meta_description: 'How a machine can rewrite an article without ever overwriting its owner.',
    tags: ['editing', 'webhooks'],
    author: 'Ada Finch',
    picture: 'pens.svg',
    content_html: `<p>You correct a sentence in your editor. At the same moment a service wants to replace the whole article. Whose version stays?</p>
<h2>Compare, then set</h2>
<p>The service must say which version it has read. If the file has another version by now, the answer is 409, and nothing changes:</p>
<pre><code>409 {"error":"Article revision conflict","base_revision_id":"…","current_revision_id":"…"}
</code></pre>
<p>Your sentence stays. The service may read again and try once more; that is its work, not yours.</p>
${itemComment('demo-3')}`,
    content_markdown: '',
  },
];
