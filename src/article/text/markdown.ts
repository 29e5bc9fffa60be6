import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';

const require = createRequire(import.meta.url);
let renderer: InstanceType<typeof MarkdownIt> | undefined;

/** Made when an article needs it: the service sends its own HTML along, which is shown until a person edits the body. */
function markdownIt(): InstanceType<typeof MarkdownIt> {
  renderer ??= newMarkdownIt();
  return renderer;
}

function newMarkdownIt(): InstanceType<typeof MarkdownIt> {
  // Raw HTML is allowed: articles are HTML to begin with, and their author is whoever can write to the repository.
  return new (require('markdown-it') as typeof MarkdownIt)({ html: true });
}

/** Another renderer of Markdown. @param extend adds to it. */
export function createMarkdown(
  extend: (md: InstanceType<typeof MarkdownIt>) => void = () => undefined,
): (text: string) => string {
  const md = newMarkdownIt();
  extend(md);
  return (text) => md.render(text);
}

/** Markdown as HTML, raw HTML kept. */
export function renderMarkdown(text: string): string {
  return markdownIt().render(text);
}

/** The tokens of Markdown, as `markdown-it` makes them; of a text that `isSlowMarkdown` accepts. */
export function markdownTokens(text: string): Token[] {
  return markdownIt().parse(text, {});
}

/** Longer Markdown is not rendered, in characters. */
const LONGEST = 64 * 1024;

/** Short texts on which the renderer is slow, too: many brackets in a row, and quotes in quotes. */
const NESTED = /(?:\[[^[\]\n]{0,3}){50}|^(?:[ \t]*>){10}/m;

/** Whether rendering Markdown would take so long that other deliveries had to wait for it. */
export function isSlowMarkdown(text: string): boolean {
  return text.length > LONGEST || NESTED.test(text);
}

/** Markdown as HTML; where rendering it would take too long, the HTML that came with it, or the text as it is. */
export function shownMarkdown(text: string, sentHtml: string, render = renderMarkdown): string {
  if (!isSlowMarkdown(text)) return render(text);
  if (sentHtml !== '') return sentHtml;
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<pre>${escaped}</pre>\n`;
}
