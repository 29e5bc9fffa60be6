import { createMarkdown, renderMarkdown } from '../../article/text/markdown.js';
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
 * Creates a renderer for people's Markdown with plugins' extensions; undefined if there are none. If an extension throws, the
 * text is rendered without extensions, and the log names the plugins.
 */
export function peopleMarkdown(
  { markdown, shortcodes }: Pick<PageAdditions, 'markdown' | 'shortcodes'>,
  log: Log,
): PeopleMarkdown | undefined {
  if (markdown.length === 0 && shortcodes.size === 0) return undefined;
  const extended = createMarkdown((md) => {
    for (const { plugin, extend } of markdown) asPlugin(plugin, () => extend(md));
    if (shortcodes.size > 0) withShortcodes(md, shortcodes, log);
  });
  const plugins = markdown.map(({ plugin }) => plugin);
  return (text) => {
    try {
      // All extensions run here, so an error may be any plugin's.
      return plugins.length === 0 ? extended(text) : asPlugin(plugins.join(', '), () => extended(text));
    } catch (error) {
      log.error({ plugins, err: error }, 'a Markdown extension failed; the text is rendered without it');
      return renderMarkdown(text);
    }
  };
}

/** Adds shortcodes to Markdown, but not in code. A shortcode that fails stays unchanged. */
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

  md.inline.ruler.before('link', 'shortcode', (state, silent) => {
    SHORTCODE.lastIndex = state.pos;
    const [whole = '', name = '', attributes = ''] = SHORTCODE.exec(state.src) ?? [];
    const html = whole === '' ? undefined : made(name, attributes);
    if (html === undefined || state.pos + whole.length > state.posMax) return false;
    if (!silent) Object.assign(state.push('html_inline', '', 0), { content: html, info: name });
    state.pos += whole.length;
    return true;
  });

  // Removes the paragraph around a shortcode that is alone in it, as it may be a figure.
  md.core.ruler.after('inline', 'shortcode', ({ tokens }) => {
    for (const [index, { children }] of tokens.entries()) {
      const [only, other] = children ?? [];
      const [opening, closing] = [tokens[index - 1], tokens[index + 1]];
      if (only?.info === undefined || only.info === '' || other !== undefined) continue;
      if (opening?.type !== 'paragraph_open' || closing === undefined) continue;
      opening.hidden = true;
      closing.hidden = true;
      only.content += '\n';
    }
  });
}
