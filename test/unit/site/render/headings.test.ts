import test from 'ava';
import type { StandalonePage } from '../../../../src/host/pages/page-types.js';
import { withHeadings } from '../../../../src/site/render/headings.js';

const tocOf = (html: string, toc = 1, extra = {}) =>
  withHeadings<Pick<StandalonePage, 'html' | 'toc' | 'extra'>>({ html, toc: [], extra }, { toc });

test('headings without an id get one of their words, each its own, and the rest of the text stays to the byte', (t) => {
  const html = `<h1>No</h1><H2 class="x">Soil &amp; <em>Moss</em></H2>\n<h3>Why?</h3><p>x</p><h3 id='given'>Given</h3>
<h2>Soil  moss</h2><h2>日本の庭</h2><h2>!!!</h2><h2>Content</h2><h2>Note</h2><p id="note">x</p><h2><img src="x"></h2><h4>Deep</h4>`;
  const { html: made, toc } = tocOf(html);
  t.deepEqual(
    toc.map(({ id, title, children }) => [id, title, children.map((one) => one.id)]),
    [
      ['soil-moss', 'Soil & Moss', ['why', 'given']],
      ['soil-moss-2', 'Soil moss', []],
      ['日本の庭', '日本の庭', []],
      ['section', '!!!', []],
      ['content-2', 'Content', []],
      ['note-2', 'Note', []],
    ],
  );
  const link = /<a class="heading-link" href="#[^"]*" aria-hidden="true" tabindex="-1"><\/a>/g;
  t.is(made.match(link)?.length, 9);
  t.is(made.replace(link, '').replace(/(<h\d) id="[^"]*"/gi, '$1'), html);
  t.true(made.includes(`>日本の庭<a class="heading-link" href="#${encodeURIComponent('日本の庭')}"`));
});

test('what only looks like a heading is none', (t) => {
  const html =
    '<!-- <h2>a</h2> --><script>"<h2>b</h2>"</script><p title="<h2>c</h2>">x</p><textarea><h2>d</h2></textarea>';
  t.deepEqual(tocOf(html), { html, toc: [], extra: {} });
});

test('a heading within a link has an id, and no link in that link', (t) => {
  const { html, toc } = tocOf('<a href="/x"><h2>Soil</h2><h3>Moss</h3></a><h2>Bees</h2>');
  t.regex(html, /^<a href="\/x"><h2 id="soil">Soil<\/h2><h3 id="moss">Moss<\/h3><\/a><h2 id="bees">Bees<a /);
  t.is(toc.length, 2);
});

test('there is a table from so many headings on, or where the front matter says so', (t) => {
  const html = '<h2>One</h2><h3>Two</h3><h4>Three</h4>';
  t.is(tocOf(html, 2).toc.length, 1);
  t.deepEqual(tocOf(html, 3).toc, []);
  t.deepEqual(tocOf(html, 0).toc, []);
  t.is(tocOf(html, 3, { toc: true }).toc.length, 1);
  t.deepEqual(tocOf(html, 1, { toc: false }).toc, []);
});

test('a heading that is never closed has an id, no link, and a title with a bound; thousands take no time for each', (t) => {
  const { html } = tocOf('<h2>Soil<h2>Moss</h2>');
  t.true(html.startsWith('<h2 id="soil">Soil<h2 id="moss">Moss<a class="heading-link" href="#moss"'), html);
  t.is(tocOf(`<h2>${'Moss &amp; more. '.repeat(10_000)}`).toc[0]?.title.length, 300);
  t.is(tocOf('<h2>Same</h2>'.repeat(3_000)).toc.at(-1)?.id, 'same-3000');
});
