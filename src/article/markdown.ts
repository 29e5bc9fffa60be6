import MarkdownIt from 'markdown-it';

// Raw HTML is allowed: articles are HTML to begin with, and their author is whoever can write to the repository.
const renderer = new MarkdownIt({ html: true });

/** Markdown as HTML, raw HTML kept. */
export function renderMarkdown(text: string): string {
  return renderer.render(text);
}
