import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';

const require = createRequire(import.meta.url);
let renderer: InstanceType<typeof MarkdownIt> | undefined;

/** Made when an article needs it: the service sends its own HTML along, which is shown until a person edits the body. */
function markdownIt(): InstanceType<typeof MarkdownIt> {
  // Raw HTML is allowed: articles are HTML to begin with, and their author is whoever can write to the repository.
  renderer ??= new (require('markdown-it') as typeof MarkdownIt)({ html: true });
  return renderer;
}

/** Loads the renderer before it is needed. */
export const loadMarkdown: () => void = markdownIt;

/** Markdown as HTML, raw HTML kept. */
export function renderMarkdown(text: string): string {
  return markdownIt().render(text);
}
