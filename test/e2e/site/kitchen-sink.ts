/** An article with everything that a generated one may hold, and that a theme must bear: also a word wider than a telephone. */
export const KITCHEN_SINK = {
  id: 'demo-kitchen-sink',
  title:
    'A page with one of everything, and the Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz',
  slug: 'one-of-everything',
  meta_description: 'Tables, code, quotes, figures, embeds: what a reader may meet, in one place.',
  tags: [
    'durability',
    'typography',
    'a tag whose name is long enough to need a line of its own on a telephone',
  ],
  content_markdown: '',
  content_html: `<p>Text with <strong>strong</strong>, <em>stressed</em>, <code>inline code</code>, <kbd>Ctrl</kbd>, <mark>marked</mark>, <del>deleted</del> and <a href="#a-table">linked</a> words, H<sub>2</sub>O, a note<sup><a href="#note" id="back">1</a></sup>, <abbr title="Hypertext Markup Language">HTML</abbr>, <small>small print</small> and averylongwordwithoutanyplacetobreakitsuchasanaddresshttps://example.com/a/very/long/path/that/never/seems/to/end.</p>
<h2 id="a-table">A wide table</h2>
<table><caption>Deliveries of a week</caption><thead><tr><th scope="col">Day</th><th scope="col">Received</th><th scope="col">Stored</th><th scope="col">Refused</th><th scope="col">Repeated</th><th scope="col">Slowest</th><th scope="col">What happened besides</th></tr></thead><tbody><tr><th scope="row">Monday</th><td>1,204</td><td>1,198</td><td>2</td><td>4</td><td>18 ms</td><td>A certificate was renewed</td></tr><tr><th scope="row">Tuesday</th><td>987</td><td>987</td><td>0</td><td>0</td><td>12 ms</td><td>Nothing, which is how it should be</td></tr></tbody></table>
<h3>A narrow one</h3>
<table><tbody><tr><th scope="row">Paper</th><td>cream</td></tr><tr><th scope="row">Ink</th><td>black</td></tr></tbody></table>
<h2>Code</h2>
<pre><code class="language-js">// A line that is longer than a telephone is wide, and longer than a column of text: it scrolls in a box of its own.
export const answer = (question) =&gt; (question.length &gt; 0 ? 'The answer comes last, after the disk has said that it has it.' : undefined);
</code></pre>
<h2>Quotes</h2>
<blockquote><p>First the place, then the praise.</p><footer>A librarian, <cite>Notes on shelves</cite></footer></blockquote>
<h2>Lists</h2>
<ul><li>One<ul><li>One and a half<ol><li>Deeper</li></ol></li></ul></li><li><p>Two, in a paragraph</p></li></ul>
<ol start="3"><li>Three</li><li>Four</li></ol>
<dl><dt>Pressmark</dt><dd>The mark that tells where a book stands.</dd><dt>Shelf</dt><dd>Where it stands.</dd></dl>
<h2>Figures and embeds</h2>
<figure><img src="/pictures/shelves.svg" alt="Books on three shelves"><figcaption>A figure whose picture does not say its size.</figcaption></figure>
<p><img src="/pictures/shelves.svg" alt="The same books, smaller" width="320" height="180"></p>
<figure><iframe title="A page in a frame" src="/pictures/shelves.svg" loading="lazy"></iframe><figcaption>A frame.</figcaption></figure>
<video controls preload="none" poster="/pictures/shelves.svg"></video>
<details><summary>More, for those who ask</summary><p>Hidden until it is asked for.</p></details>
<div style="width: 2400px"><p>A box that was made for a wider page.</p></div>
<hr>
<h3>A smaller heading</h3>
<p>And</p>
<h4>one smaller still</h4>
<p><img src="/pictures/dial.svg" alt="A dial in a paragraph of its own"></p>
<p id="note">1. A note, and <a href="#back">the way back</a>.</p>
<!-- svc:item:demo-kitchen-sink --><img src="/pictures/dial.svg?seen" alt="" hidden>`,
} as const;
