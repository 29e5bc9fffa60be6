import { shortened } from '../../article/names.js';
import { attributeOf, type HtmlToken, htmlTokens, type OpenToken } from '../../article/text/html-tokens.js';
import type { SiteInfo, StandalonePage, TocEntry, TocHeading } from '../../host/pages/page-types.js';
import { textOfHtml } from '../index/html-text.js';

interface Heading {
  readonly tag: OpenToken;
  readonly id: string;
  readonly title: string;
  /** The place of its link, before its closing tag; undefined if it is never closed, or within another link. */
  readonly linkAt: number | undefined;
}

/** The headings with links. The page's title is its `h1`; sections below `h4` are too small for a link. */
const HEADING = /^h[2-4]$/;

/** The ids in the built-in theme's frame around a text. */
const IDS_OF_FRAME = ['content'];

const LONGEST_ID = 80;

/** The longest title, and how much HTML is read for it, in characters, as a heading may lack its closing tag. */
const LONGEST_TITLE = 300;
const TITLE_FROM = 8_000;

/**
 * Gives each heading an id, if it has none, and a link to itself, unless it is within a link, and makes a table of contents if
 * there are enough headings: `h2`, and below them `h3`. Nothing else in the HTML changes. `toc: true` or `toc: false` in the
 * front matter decides for a single text.
 */
export function withHeadings<Text extends Pick<StandalonePage, 'html' | 'toc' | 'extra'>>(
  text: Text,
  { toc: least }: Pick<SiteInfo, 'toc'>,
): Text {
  const { html, extra } = text;
  if (!/<h[2-4]/i.test(html)) return text;
  const headings = headingsOf(html);
  const listed = headings.filter(({ tag }) => tag.name !== 'h4');
  const from = extra.toc === true ? 1 : extra.toc === false ? 0 : least;
  const hasToc = from > 0 && listed.length >= from;
  return { ...text, html: withLinks(html, headings), toc: hasToc ? treeOf(listed) : text.toc };
}

function headingsOf(html: string): Heading[] {
  const tokens = htmlTokens(html);
  const ids = new Set([...IDS_OF_FRAME, ...tokens.flatMap((token) => idOf(html, token) ?? [])]);
  /** The next number for ids with the same words. */
  const numbers = new Map<string, number>();
  const headings: Heading[] = [];
  let isInLink = false;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.kind === 'comment') continue;
    if (token.name === 'a') isInLink = token.kind === 'open';
    if (token.kind !== 'open' || !HEADING.test(token.name)) continue;
    const end = endOf(tokens, index);
    const title = shortened(
      textOfHtml(html.slice(token.end, end?.start).slice(0, TITLE_FROM)),
      LONGEST_TITLE,
    );
    if (title === '') continue;
    const linkAt = end?.kind === 'close' && !isInLink ? end.start : undefined;
    headings.push({ tag: token, title, linkAt, id: idOf(html, token) ?? freeId(title) });
  }
  return headings;

  /** Makes an id like GitHub: the words in lower case with hyphens between, and a number if that id is taken. */
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

/** Finds the end of a heading's text: its closing tag, or the next heading. */
function endOf(tokens: readonly HtmlToken[], index: number): HtmlToken | undefined {
  for (let at = index + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== 'comment' && HEADING.test(token.name)) return token;
  }
  return undefined;
}

function idOf(html: string, token: HtmlToken): string | undefined {
  return (token.kind === 'open' && attributeOf(html, token, 'id')) || undefined;
}

/**
 * Adds the links. They are hidden from screen readers, which would read each heading twice. The theme draws their sign, so that
 * it is not in the text for searches.
 */
function withLinks(html: string, headings: readonly Heading[]): string {
  let done = 0;
  const parts = headings.map(({ tag, id, linkAt }) => {
    const behindName = tag.start + '<h2'.length;
    const given = idOf(html, tag) === id ? '' : ` id="${id}"`;
    const name = html.slice(done, behindName) + given;
    done = linkAt ?? behindName;
    if (linkAt === undefined) return name;
    const link = `<a class="heading-link" href="#${encodeURIComponent(id)}" aria-hidden="true" tabindex="-1"></a>`;
    return name + html.slice(behindName, linkAt) + link;
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
