import test from 'ava';
import { withCodeColours } from '../../../../src/site/render/code-colours.js';

test('code in a known language is coloured, and its text stays', (t) => {
  const text = 'const moss = &quot;&lt;b&gt; &amp;amp;&quot;; // 1 &lt; 2\n';
  const html = `<p>a</p><pre><code class="language-js">${text}</code></pre>`;
  const made = withCodeColours(
    `${html}<pre><code class="wide lang-python numbered">def soil(): pass</code></pre>`,
  );
  t.true(made.includes('<span class="hljs-keyword">const</span>'));
  t.true(made.includes('<span class="hljs-keyword">def</span>'));
  t.true(made.replace(/<\/?span[^>]*>/g, '').startsWith(html));
});

test('code without a known language, with markup, within a line or without end stays as it is', (t) => {
  for (const html of [
    '<pre><code>const a = 1;</code></pre>',
    '<pre><code class="language-soil">const a = 1;</code></pre>',
    '<pre><code class="language-js"><b>const</b> a = 1;</code></pre>',
    '<p><code class="language-js">const a = 1;</code></p>',
    `<pre><code class="language-js">${'a'.repeat(401)}</code></pre>`,
    `<pre><code class="language-js">${'const a = 1;\n'.repeat(2_000)}</code></pre>`,
  ])
    t.is(withCodeColours(html), html);
  const block = `<pre><code class="language-js">${'const a = 1;\n'.repeat(500)}</code></pre>`;
  const made = withCodeColours(block.repeat(20));
  t.is(made.split('</pre>').filter((part) => part.includes('hljs')).length, 7, 'up to a bound for one text');
});
