import { attributeOf, type HtmlToken, htmlTokens } from '../../article/html-tokens.js';
import type { SiteInfo, TocEntry, TocHeading } from '../../host/page-types.js';
import { textOfHtml } from './html-text.js';

/** A text and its table of contents. */
export interface WithToc {
  readonly html: string;
  readonly toc: readonly TocEntry[];
  /** `toc: true` or `toc: false` decides it for one text. */
  readonly extra: Readonly<Record<string, unknown>>;
}

type Heading = Extract<HtmlToken, { kind: 'open' }> & { readonly id: string; readonly title: string };

const HEADING = /^h[23]$/;

/** The id of the built-in theme's frame around a text. */
const IDS_OF_FRAME = ['content'];

const LONGEST_ID = 80;

/**
 * Gives a text of several headings its table of contents: `h2`, and below them `h3`. Those of these headings that have no
 * id get one, made of their words; nothing else of the HTML changes, and nothing at all where there is no table.
 */
export function withToc<Text extends WithToc>(text: Text, { toc: least }: Pick<SiteInfo, 'toc'>): Text {
  const { html, extra } = text;
  const from = extra.toc === true ? 1 : extra.toc === false ? 0 : least;
  // A look that costs little: few texts have headings enough.
  if (from === 0 || (html.match(/<h[23]\b/gi)?.length ?? 0) < from) return text;
  const headings = headingsOf(html);
  return headings.length < from ? text : { ...text, html: withIds(html, headings), toc: treeOf(headings) };
}

function headingsOf(html: string): Heading[] {
  const tokens = htmlTokens(html);
  const ids = new Set(IDS_OF_FRAME);
  for (const token of tokens) if (token.kind === 'open') ids.add(idOf(html, token) ?? '');
  /** From which number on ids of the same words may be free. */
  const numbers = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'open' || !HEADING.test(token.name)) return [];
    const title = textOfHtml(html.slice(token.end, endOf(tokens, index)));
    if (title === '') return [];
    return [{ ...token, title, id: idOf(html, token) ?? freeId(title) }];
  });

  /** An id in the manner of GitHub: the words in lower case with hyphens between, and a number where that is taken. */
  function freeId(title: string): string {
    const words = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]+/gu, '')
      .trim()
      .replace(/\s+/g, '-');
    const plain = [...words].slice(0, LONGEST_ID).join('') || 'section';
    let number = numbers.get(plain) ?? 1;
    const id = () => (number === 1 ? plain : `${plain}-${number}`);
    while (ids.has(id())) number++;
    numbers.set(plain, number + 1);
    ids.add(id());
    return id();
  }
}

/** Where the text of the heading at a place in the list ends: at its closing tag, or where the next heading begins. */
function endOf(tokens: readonly HtmlToken[], index: number): number | undefined {
  for (let at = index + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== 'comment' && HEADING.test(token.name)) return token.start;
  }
  return undefined;
}

function idOf(
  html: string,
  { start, contentStart }: Extract<HtmlToken, { kind: 'open' }>,
): string | undefined {
  return attributeOf(html.slice(start, contentStart), 'id') || undefined;
}

function withIds(html: string, headings: readonly Heading[]): string {
  let done = 0;
  const parts = headings.map((heading) => {
    const behindName = heading.start + '<h2'.length;
    const part = html.slice(done, behindName);
    done = behindName;
    return idOf(html, heading) === heading.id ? part : `${part} id="${heading.id}"`;
  });
  return parts.join('') + html.slice(done);
}

function treeOf(headings: readonly Heading[]): TocEntry[] {
  const top: (TocHeading & { readonly children: TocHeading[] })[] = [];
  for (const { name, id, title } of headings) {
    const parent = name === 'h3' ? top.at(-1) : undefined;
    if (parent === undefined) top.push({ id, title, children: [] });
    else parent.children.push({ id, title });
  }
  return top;
}
