import { attributeOf, type HtmlToken, htmlTokens } from '../../article/html-tokens.js';
import type { SiteInfo, StandalonePage, TocEntry, TocHeading } from '../../host/page-types.js';
import { textOfHtml } from './html-text.js';

type OpenTag = Extract<HtmlToken, { kind: 'open' }>;

interface Heading {
  readonly tag: OpenTag;
  readonly id: string;
  readonly title: string;
}

const isHeading = (name: string) => name === 'h2' || name === 'h3';

/** The id of the built-in theme's frame around a text. */
const IDS_OF_FRAME = ['content'];

const LONGEST_ID = 80;

/** Characters of a title, at the most, and of the HTML that is looked at for it: a heading may lack its closing tag. */
const LONGEST_TITLE = 300;
const TITLE_FROM = 8_000;

/**
 * Gives a text of several headings its table of contents: `h2`, and below them `h3`. Those of these headings that have no
 * id get one, made of their words; nothing else in the HTML changes, and a text without a table of contents stays as it is.
 * `toc: true` or `toc: false` in the front matter decides it for one text.
 */
export function withToc<Text extends Pick<StandalonePage, 'html' | 'toc' | 'extra'>>(
  text: Text,
  { toc: least }: Pick<SiteInfo, 'toc'>,
): Text {
  const { html, extra } = text;
  const from = extra.toc === true ? 1 : extra.toc === false ? 0 : least;
  // A look that costs little: few texts have headings enough.
  if (from === 0 || (html.match(/<h[23]\b/gi)?.length ?? 0) < from) return text;
  const headings = headingsOf(html);
  return headings.length < from ? text : { ...text, html: withIds(html, headings), toc: treeOf(headings) };
}

function headingsOf(html: string): Heading[] {
  const tokens = htmlTokens(html);
  const ids = new Set([...IDS_OF_FRAME, ...tokens.flatMap((token) => idOf(html, token) ?? [])]);
  /** From which number on ids of the same words may be free. */
  const numbers = new Map<string, number>();
  const headings: Heading[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind !== 'open' || !isHeading(token.name)) continue;
    const title = titleOf(html.slice(token.end, endOf(tokens, index)));
    if (title !== '') headings.push({ tag: token, title, id: idOf(html, token) ?? freeId(title) });
  }
  return headings;

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

function titleOf(html: string): string {
  const text = textOfHtml(html.slice(0, TITLE_FROM));
  if (text.length <= LONGEST_TITLE) return text;
  return `${text.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Where the text of the heading at a place in the list ends: at its closing tag, or where the next heading begins. */
function endOf(tokens: readonly HtmlToken[], index: number): number | undefined {
  for (let at = index + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== 'comment' && isHeading(token.name)) return token.start;
  }
  return undefined;
}

function idOf(html: string, token: HtmlToken): string | undefined {
  if (token.kind !== 'open') return undefined;
  const tag = html.slice(token.start, token.contentStart);
  return (tag.includes('=') && attributeOf(tag, 'id')) || undefined;
}

function withIds(html: string, headings: readonly Heading[]): string {
  let done = 0;
  const parts = headings.map(({ tag, id }) => {
    const behindName = tag.start + '<h2'.length;
    const part = html.slice(done, behindName);
    done = behindName;
    return idOf(html, tag) === id ? part : `${part} id="${id}"`;
  });
  return parts.join('') + html.slice(done);
}

function treeOf(headings: readonly Heading[]): TocEntry[] {
  const top: (TocHeading & { readonly children: TocHeading[] })[] = [];
  for (const { tag, id, title } of headings) {
    const parent = tag.name === 'h3' ? top.at(-1) : undefined;
    if (parent === undefined) top.push({ id, title, children: [] });
    else parent.children.push({ id, title });
  }
  return top;
}
