import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { editFrontMatter } from '../../../src/article/front-matter/edit.js';
import { cutFrontMatter } from '../../../src/article/front-matter/read.js';
import { closedHtml } from '../../../src/article/text/closed-html.js';
import { htmlTokens } from '../../../src/article/text/html-tokens.js';
import { expectInHead } from '../../../src/conformance/rules/publish/pages.js';
import { readDraft } from '../../../src/sender/article/draft.js';
import { withCodeColours } from '../../../src/site/render/code-colours.js';
import { tempDir } from '../../support/temp-dir.js';

/** In characters. A reader whose time grows with the square of the length takes a minute and more. */
const LENGTH = 200_000;

/** In processor time, which other programs do not count in. Each reader takes some 50 ms. */
const LONGEST_MS = 5_000;

const repeated = (piece: string, length = LENGTH) => piece.repeat(length / piece.length);

/** Texts that a reader once took minutes for, as it looked at the rest of the text again from each place in it. */
const READINGS: Readonly<Record<string, (dir: string) => unknown>> = {
  'a script of comments': () => closedHtml(`<script>${repeated('<!--')}</script>`),
  'closing tags with a bracket in quotes': () => htmlTokens(repeated('</p a=">">', 5 * LENGTH)),
  'code with many classes': () => withCodeColours(`<pre><code class="e${repeated(' lang-a')}!">`),
  'front matter whose first line is blank': () => cutFrontMatter(`---a${repeated('\t')}\v`),
  'front matter with a line of comments': () =>
    editFrontMatter(`---\na: 1 ${repeated('\t#')}\u2028\n---\n`, [{ key: 'a', value: 'd' }]),
  'a page of heads that nothing closes': () => expectInHead(repeated('<head>', 2 * LENGTH), 'x'),
  'a heading of number signs': (dir) => {
    fs.writeFileSync(join(dir, 'a.md'), `# a${repeated('\t#')} \u2028`);
    return readDraft(join(dir, 'a.md'));
  },
};

for (const [name, read] of Object.entries(READINGS))
  test(`reading ${name} takes time in proportion to its length`, (t) => {
    const dir = tempDir(t);
    const before = process.cpuUsage();
    try {
      read(dir);
    } catch {
      // A text that is refused counts as well.
    }
    const { user, system } = process.cpuUsage(before);
    t.true((user + system) / 1_000 < LONGEST_MS, `${Math.round((user + system) / 1_000)} ms`);
  });
