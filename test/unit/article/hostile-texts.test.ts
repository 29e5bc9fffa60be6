import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { itemComments, keepItemComments } from '../../../src/article/article.js';
import { editFrontMatter } from '../../../src/article/front-matter/edit.js';
import { cutFrontMatter } from '../../../src/article/front-matter/read.js';
import { closedHtml } from '../../../src/article/text/closed-html.js';
import { htmlTokens } from '../../../src/article/text/html-tokens.js';
import { expectInHead } from '../../../src/conformance/rules/publish/pages.js';
import { storedBody as docusaurusBody } from '../../../src/generators/docusaurus/mapping.js';
import { harmlessHtml } from '../../../src/generators/eleventy/mapping.js';
import { storedBody as hexoBody } from '../../../src/generators/hexo/mapping.js';
import { storedBody as hugoBody } from '../../../src/generators/hugo/mapping.js';
import { hasTags, linkedAddresses, needsHtml } from '../../../src/generators/mapping/markdown.js';
import { storedBody as vitePressBody } from '../../../src/generators/vitepress/mapping.js';
import { readDraft } from '../../../src/sender/article/draft.js';
import { textOfHtml } from '../../../src/site/index/html-text.js';
import { withCodeColours } from '../../../src/site/render/code-colours.js';
import { tempDir } from '../../support/temp-dir.js';

/** In characters. A reader whose time grows with the square of the length takes a quarter of a minute and more. */
const LENGTH = 100_000;

/** In processor time, which other programs do not count in. The slowest reader takes 0.2 s on a busy machine. */
const LONGEST_MS = 5_000;

const repeated = (piece: string, length = LENGTH) => piece.repeat(length / piece.length);
const html = (text: string) => ({ kind: 'html', html: text }) as const;
const markdown = (text: string) => ({ kind: 'markdown', markdown: text, html: text }) as const;

/** Texts that a reader once took minutes for, as it looked at the rest of the text again from each place in it. */
const READINGS: Readonly<Record<string, (t: ExecutionContext) => unknown>> = {
  'a script of comments': () => closedHtml(`<script>${repeated('<!--')}</script>`),
  'closing tags with a bracket in quotes': () => htmlTokens(repeated('</p a=">">', 5 * LENGTH)),
  'code with many classes': () => withCodeColours(`<pre><code class="e${repeated(' lang-a')}!">`),
  'front matter whose first line is blank': (t) => t.throws(() => cutFrontMatter(`---a${repeated('\t')}\v`)),
  'front matter with a line of comments': () =>
    editFrontMatter(`---\na: 1 ${repeated('\t#')}\u2028\n---\n`, [{ key: 'a', value: 'd' }]),
  'a page of heads that nothing closes': (t) =>
    t.throws(() => expectInHead(repeated('<head>', 2 * LENGTH), 'x')),
  'a heading of number signs': (t) => {
    const path = join(tempDir(t), 'a.md');
    fs.writeFileSync(path, `---\ndescription: Soil\n---\n# a${repeated('\t#')} \u2028\n\nWords.\n`);
    readDraft(path);
  },
  'comments that never end, and many comments': (t) => {
    t.deepEqual(itemComments(repeated('<!-- svc:item:', 5 * LENGTH)), []);
    const many = Array.from({ length: 15_000 }, (_, n) => `<!-- svc:item:${n} -->`);
    const text = repeated('a', 5 * LENGTH);
    t.is(keepItemComments(text, many.join('')), [text, ...many].join('\n'));
  },
  'the name of a tag': (t) => {
    const name = `<${repeated('a', 5 * LENGTH)}`;
    t.is(harmlessHtml(name, { elements: ['a'], ids: [] }), name);
  },
  'links and comments that nothing closes': (t) => {
    t.deepEqual(linkedAddresses(repeated('![', 5 * LENGTH)), []);
    t.is(linkedAddresses(`](${'(]:'.repeat(150_000)}`).length, 150_001);
    t.true(needsHtml('<!-- svc:item:'.repeat(50_000)) && hasTags('<!-- svc:item:'.repeat(50_000)));
    t.is(textOfHtml('<br '.repeat(125_000)), '');
  },
  'bodies for Hugo': (t) => {
    const noscripts = html(`<!--more-->${'<noscript>'.repeat(45_000)}`);
    t.true(hugoBody(noscripts, 'a.md', true).text.startsWith('<!-- more --><noscript>'));
    for (const text of ['[^a\n'.repeat(8_000), '~'.repeat(30_000), '-   '.repeat(7_500)])
      t.is(hugoBody(markdown(text), 'a.md', true).text, text);
  },
  'blank bodies': (t) => {
    for (const text of ['\u2028', '\n', '\t'].map((blank) => blank.repeat(30_000))) {
      t.is(hexoBody(html(text), 'a.md').text, text);
      vitePressBody(markdown(text), false);
      docusaurusBody(markdown(text));
    }
  },
};

for (const [name, read] of Object.entries(READINGS))
  test(`reading ${name} takes time in proportion to its length`, (t) => {
    const before = process.cpuUsage();
    read(t);
    const { user, system } = process.cpuUsage(before);
    t.true((user + system) / 1_000 < LONGEST_MS, `${Math.round((user + system) / 1_000)} ms`);
  });

test('every address that a parser could read is found', (t) => {
  for (const [text, found] of [
    ['[a](b) ![c]( <d> "e") <https://f.example>\n\n[g]:\n  h', ['b', 'd', 'h', 'https://f.example']],
    ['[a](b_(c)_d) [e](f(g', ['b_(c)_d', 'f(']],
  ] as const)
    t.deepEqual<readonly string[], readonly string[]>(linkedAddresses(text), found);
});
