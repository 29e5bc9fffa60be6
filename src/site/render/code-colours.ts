import { createRequire } from 'node:module';
import { decodeHTML } from 'entities/decode';

/**
 * The functions of highlight.js that are used. It is loaded by `require`, as its types would add a browser's global types to
 * the whole program.
 */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

const require = createRequire(import.meta.url);

/**
 * A code block from Markdown with a language and without colours. The length of class names is limited, as the expression tries
 * each length.
 */
const BLOCK =
  /(<pre>\s*<code class="(?:[\w -]{0,60} )?lang(?:uage)?-([\w+#.-]{1,30})(?: [\w -]{0,60})?">)([^<]*)<\/code>/g;

/** The longest line that is coloured, in characters: a grammar's time may grow with the square of a line's length. */
const LONGEST_LINE = 400;
const LONGEST = 10_000;
const LONGEST_IN_ALL = 50_000;

/**
 * Colours code in known languages: each token gets a class, for which the theme's `style.css` has a colour. Code without a
 * language is not changed.
 */
export function withCodeColours(html: string): string {
  if (!html.includes('<pre>')) return html;
  if (html.search(BLOCK) === -1) return html;
  // Loaded at the first page with code, as the grammars of forty languages take time to load.
  const highlighter: Highlighter = require('highlight.js/lib/common');
  let left = LONGEST_IN_ALL;
  return html.replace(BLOCK, (block, start: string, language: string, code: string) => {
    const text = decodeHTML(code);
    const isTooLong =
      text.length > Math.min(LONGEST, left) || text.split('\n').some((line) => line.length > LONGEST_LINE);
    if (isTooLong || highlighter.getLanguage(language) === undefined) return block;
    left -= text.length;
    return `${start}${highlighter.highlight(text, { language, ignoreIllegals: true }).value}</code>`;
  });
}
