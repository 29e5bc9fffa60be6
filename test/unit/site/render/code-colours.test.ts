import test from 'ava';
import { withCodeColours } from '../../../../src/site/render/code-colours.js';

const shown = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

test('code in a known language is coloured, and its text stays', (t) => {
  const html = `<p>a</p><pre><code class="language-js">const moss = &quot;&lt;b&gt; &amp;amp;&quot;; // 1 &lt; 2
</code></pre><pre><code class="wide lang-python numbered">def soil(): pass</code></pre>`;
  const made = withCodeColours(html);
  t.true(made.includes('<span class="hljs-keyword">const</span>'));
  t.true(made.includes('<span class="hljs-keyword">def</span>'));
  t.is(shown(made), shown(html.replaceAll('&gt;', '>')).replaceAll('>', '&gt;'));
});

for (const [what, html] of [
  ['without a language', '<pre><code>const a = 1;</code></pre>'],
  ['in a language that is not known', '<pre><code class="language-soil">const a = 1;</code></pre>'],
  ['that has markup', '<pre><code class="language-js"><b>const</b> a = 1;</code></pre>'],
  ['within a line', '<p><code class="language-js">const a = 1;</code></p>'],
  ['with a very long line', `<pre><code class="language-js">${'a'.repeat(401)}</code></pre>`],
  ['that is very long', `<pre><code class="language-js">${'const a = 1;\n'.repeat(2_000)}</code></pre>`],
] as const)
  test(`code ${what} stays as it is`, (t) => {
    t.is(withCodeColours(html), html);
  });

test('code of one text is coloured up to a bound', (t) => {
  const block = `<pre><code class="language-js">${'const a = 1;\n'.repeat(500)}</code></pre>`;
  const made = withCodeColours(block.repeat(20));
  t.is(made.split('</pre>').filter((part) => part.includes('hljs')).length, 7);
});
