import { createMarkdown } from '../../article/text/markdown.js';
import { messageOf } from '../../errors.js';
import type { Markdown, PageAdditions } from '../../host/pages/page-additions.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { Log } from '../../log.js';

/** Renders Markdown that a person wrote. */
export type PeopleMarkdown = (text: string) => string;

/** `[[name key="value"]]` */
const SHORTCODE = /\[\[([a-z][\w-]*)((?:\s+[\w-]+="[^"\n]*")*) ?\]\]/iy;
const ATTRIBUTE = /([\w-]+)="([^"]*)"/g;

/**
 * The Markdown of people with what plugins add to it; undefined if they add nothing. Where an extension throws, the text
 * is rendered without it, and the log names the plugin.
 */
export function peopleMarkdown(
  { markdown, shortcodes }: Pick<PageAdditions, 'markdown' | 'shortcodes'>,
  log: Log,
): PeopleMarkdown | undefined {
  if (markdown.length === 0 && shortcodes.size === 0) return undefined;
  const plain = createMarkdown();
  const extended = createMarkdown((md) => {
    for (const { plugin, extend } of markdown) asPlugin(plugin, () => extend(md));
    if (shortcodes.size > 0) withShortcodes(md, shortcodes, log);
  });
  const plugins = markdown.map(({ plugin }) => plugin);
  return (text) => {
    try {
      // Their rules run now; which of them it is that fails cannot be seen from here.
      return plugins.length === 0 ? extended(text) : asPlugin(plugins.join(', '), () => extended(text));
    } catch (error) {
      log.error({ plugins, err: error }, 'an extension of Markdown failed; the text is rendered without');
      return plain(text);
    }
  };
}

/** Not in code: there, the rules of Markdown come first. A shortcode that fails stays as it was written. */
function withShortcodes(md: Markdown, shortcodes: PageAdditions['shortcodes'], log: Log): void {
  function made(name: string, attributes: string): string | undefined {
    const known = shortcodes.get(name);
    if (known === undefined) return undefined;
    const { plugin, make } = known;
    try {
      const values = Object.fromEntries(
        [...attributes.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, value]),
      );
      const html: unknown = asPlugin(plugin, () => make(values as Record<string, string>));
      if (typeof html === 'string') return html;
      throw new Error('it returned no text');
    } catch (error) {
      log.error(
        { plugin, shortcode: name, reason: messageOf(error) },
        'a shortcode failed; it stays as it is written',
      );
      return undefined;
    }
  }

  /** The shortcode at a place, and where it ends. */
  function at(text: string, place: number): { readonly html: string; readonly end: number } | undefined {
    SHORTCODE.lastIndex = place;
    const [whole = '', name = '', attributes = ''] = SHORTCODE.exec(text) ?? [];
    const html = whole === '' ? undefined : made(name, attributes);
    return html === undefined ? undefined : { html, end: place + whole.length };
  }

  md.inline.ruler.before('link', 'shortcode', (state, silent) => {
    if (!state.src.startsWith('[[', state.pos)) return false;
    const found = at(state.src, state.pos);
    if (found === undefined || found.end > state.posMax) return false;
    if (!silent) state.push('html_inline', '', 0).content = found.html;
    state.pos = found.end;
    return true;
  });

  // Alone in a line it is no part of a paragraph: it may be a figure.
  const alone = (
    state: { src: string; bMarks: number[]; tShift: number[]; eMarks: number[] },
    line: number,
  ) => state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();
  md.block.ruler.before(
    'paragraph',
    'shortcode',
    (state, line, _end, silent) => {
      const text = alone(state, line);
      if (!text.startsWith('[[') || (state.sCount[line] ?? 0) - state.blkIndent >= 4) return false;
      const found = at(text, 0);
      if (found === undefined || found.end !== text.length) return false;
      if (silent) return true;
      const token = state.push('html_block', '', 0);
      token.content = `${found.html}\n`;
      token.map = [line, line + 1];
      state.line = line + 1;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}
