import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';

const require = createRequire(import.meta.url);
let renderer: InstanceType<typeof MarkdownIt> | undefined;

/** Creates the renderer at the first call, as usually none is needed: a page shows the HTML that the service sent. */
function markdownIt(): InstanceType<typeof MarkdownIt> {
  renderer ??= newMarkdownIt();
  return renderer;
}

function newMarkdownIt(): InstanceType<typeof MarkdownIt> {
  // Raw HTML is allowed: articles are HTML to begin with, and anyone who can write to the repository is trusted.
  return new (require('markdown-it') as typeof MarkdownIt)({ html: true });
}

/** Creates a Markdown renderer with extensions. @param extend adds rules and plugins of markdown-it. */
export function createMarkdown(
  extend: (md: InstanceType<typeof MarkdownIt>) => void,
): (text: string) => string {
  const md = newMarkdownIt();
  extend(md);
  return (text) => md.render(text);
}

/** Renders Markdown, keeping raw HTML. */
export function renderMarkdown(text: string): string {
  return markdownIt().render(text);
}

/** Parses Markdown with markdown-it. Call it only for a text that is not `isSlowMarkdown`. */
export function markdownTokens(text: string): Token[] {
  return markdownIt().parse(text, {});
}

/** The longest Markdown that is rendered, in characters. */
const LONGEST = 64 * 1024;

/** Short texts that are slow to render, too: many brackets in a row, and nested quotes. */
const NESTED = /(?:\[[^[\]\n]{0,3}){50}|^(?:[ \t]*>){10}/m;

/** Whether rendering Markdown would take so long that it delays other deliveries. */
export function isSlowMarkdown(text: string): boolean {
  return text.length > LONGEST || NESTED.test(text);
}

/** Renders Markdown; if that would take too long, returns the HTML that was sent with it, or the text in a `<pre>`. */
export function shownMarkdown(text: string, sentHtml: string, render = renderMarkdown): string {
  if (!isSlowMarkdown(text)) return render(text);
  if (sentHtml !== '') return sentHtml;
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  // Wrapped: each paragraph is one long line.
  return `<pre style="white-space: pre-wrap">${escaped}</pre>\n`;
}
