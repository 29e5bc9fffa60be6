/** What Astro writes before the name of a picture that it is to import; in a page's own text it must not stand. */
export const IMAGE_MARKER = '__ASTRO_IMAGE_';

/** Extensions of files that Astro imports as pictures; a file that is missing breaks the build. */
const PICTURES = new Set(['jpeg', 'jpg', 'png', 'tiff', 'webp', 'gif', 'svg', 'avif']);

/** Elements whose content is text up to their end tag, whatever else stands in it. */
const RAW_ELEMENTS = ['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'textarea', 'title'];
/** Those of them in which character references count. */
const WITH_REFERENCES = new Set(['textarea', 'title']);

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const VOID = set('area base br col embed hr img input link meta param source track wbr');
const PREFORMATTED = set('pre listing');
const FOREIGN = set('svg math');
const DOCUMENT = set('html head body');
const FORMATTING = set('a b big code em font i nobr s small strike strong tt u');
/** Elements whose start tag a browser adds to an end tag alone. */
const KEPT_ENDS = set('p br');

/**
 * Whether Markdown can be stored as it is: Astro 5 and 7 build a page of it, and nothing of it is lost.
 *
 * Astro imports the pictures of Markdown whose address is relative: a missing file breaks the build of the whole site,
 * and a malformed `%` empties the page. Where a text has pictures, every address that any Markdown parser could take
 * for the address of one must therefore be harmless; code counts too, as parsers differ in what they take for code.
 *
 * @param fetchesImages whether the site's `image.domains` or `image.remotePatterns` make Astro fetch pictures when it
 *   builds; one that cannot be fetched breaks the build.
 */
export function isSafeMarkdown(markdown: string, fetchesImages: boolean): boolean {
  if (markdown.includes(IMAGE_MARKER)) return false;
  if (!isBalanced(markdown)) return false;
  if (!markdown.includes('![')) return true;
  if (markdown.includes('![[')) return false;
  for (const match of markdown.matchAll(/\](?:\(|:)\s*/g)) {
    const rest = markdown.slice(match.index + match[0].length, match.index + match[0].length + 2_100);
    const address = /^<([^<>\n]*)>/.exec(rest)?.[1] ?? /^[^\s<>()]*/.exec(rest)?.[0] ?? '';
    if (address === '' && !rest.startsWith(')') && !rest.startsWith('<>')) return false;
    if (!isHarmless(address, fetchesImages)) return false;
  }
  // A relative picture that Astro does not import is left without its address.
  return picturesOf(markdown).every(
    (address) => address === '' || address.startsWith('/') || URL.canParse(address),
  );
}

/** The addresses behind `![…]`. From one `]` to the next: behind each `![` one would look for the same `]` again. */
function picturesOf(markdown: string): string[] {
  const address = /\(\s*<?([^\s<>()]*)/y;
  const found: string[] = [];
  let at = 0;
  for (const text of markdown.split(']')) {
    at += text.length + 1;
    address.lastIndex = at;
    const [, first] = (text.includes('![') && address.exec(markdown)) || [];
    if (first !== undefined) found.push(first);
  }
  return found;
}

/** Whether Astro neither imports nor fetches nor fails at this, if it is the address of a picture. */
function isHarmless(address: string, fetchesImages: boolean): boolean {
  if (address.length > 2_000 || /\\|&(?!amp;)#?\w+;/.test(address)) return false;
  let decoded: string;
  try {
    decoded = decodeURI(address);
  } catch {
    return false; // Astro decodes it too, fails, and shows a page without any text
  }
  if (URL.canParse(decoded)) return !(fetchesImages && /^(?:https?|data):/i.test(decoded));
  if (decoded === '' || decoded.startsWith('/')) return true;
  const extension = decoded.slice(decoded.lastIndexOf('.') + 1).toLowerCase();
  return /^[\w./~#?=&+:;,@-]*$/.test(decoded) && !PICTURES.has(extension);
}

/** Whether everything that would swallow the rest of the page is closed. */
function isBalanced(text: string): boolean {
  if (!text.includes('<')) return true;
  if (count(text, /<!--/g) !== count(text, /-->/g) || /<plaintext/i.test(text)) return false;
  return RAW_ELEMENTS.every(
    (name) =>
      count(text, new RegExp(`<${name}[\\s/>]`, 'gi')) === count(text, new RegExp(`</${name}[\\s/>]`, 'gi')),
  );
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * Markdown as the body of an `.md` file. Astro 7 takes a body that starts with `---` or `+++` for front matter and
 * drops it, and both versions cut the indentation of the first line off; a comment before it prevents both.
 */
export function markdownBody(markdown: string): string {
  return /^\s*(?:---|\+\+\+)/.test(markdown) || /^(?:[^\S\n]*\n)*(?: {4}|\t| {1,3}\t)/.test(markdown)
    ? `<!-- -->\n\n${markdown}`
    : markdown;
}

/**
 * HTML as the body of an `.md` file, so that Markdown passes it through: one `<div>` from the first column on, without
 * a blank line. Where a blank line counts, its line feed is `&#10;`; HTML reads both the same. What is left open
 * (a comment, a `<script>`) is closed, so that the rest of the page stays a part of the page.
 */
export function htmlBlock(html: string): string {
  let text = '<div>\n';
  let isBlank = true;
  /** Appends a piece; a line feed that would make a blank line is written as a reference or left out. */
  const append = (piece: string, isKept: boolean) => {
    for (let at = 0; at < piece.length; at++) {
      const char = piece.charAt(at);
      if (char !== '\n') {
        text += char;
        if (!/[ \t\f\v]/.test(char)) isBlank = false;
      } else if (!isBlank) {
        text += char;
        isBlank = true;
      } else if (isKept) {
        text += '&#10;';
        isBlank = false;
      }
    }
  };
  for (const piece of pieces(html.replace(/\r\n?/g, '\n'))) append(piece.text, piece.isKept);
  return `${text}${isBlank ? '' : '\n'}</div>`;
}

interface Piece {
  readonly text: string;
  /** Whether its line feeds are kept; only where character references count. */
  readonly isKept: boolean;
}

/**
 * HTML cut where the meaning of a line feed changes, its elements balanced: an end tag without a start tag would close
 * an element of the page around it, and is left out, as a browser does in a text of its own; what is open at the end is
 * closed.
 */
function* pieces(html: string): Generator<Piece> {
  let at = 0;
  const open: string[] = [];
  /** Elements that a browser opens again where they are not closed, and the number of those that are open. */
  const formatting = new Map<string, number>();
  while (at < html.length) {
    const next = html.slice(at).search(/<(?:[a-z!?]|\/[^>])/i);
    const end = next === -1 ? html.length : at + next;
    if (end > at) {
      const text = html.slice(at, end);
      yield { text, isKept: open.some((name) => PREFORMATTED.has(name)) || /\S/.test(text) };
      at = end;
      continue;
    }
    const [opening = '', closing = ''] = enclosed(html, at);
    if (opening !== '') {
      const stop = html.indexOf(closing, at + opening.length);
      yield {
        text: stop === -1 ? `${html.slice(at)}${closing}` : html.slice(at, stop + closing.length),
        isKept: false,
      };
      at = stop === -1 ? html.length : stop + closing.length;
      continue;
    }
    const [, slash = '', tagName = ''] = /^<(\/?)([a-z][^\s/>]*)/i.exec(html.slice(at, at + 80)) ?? [];
    const name = tagName.toLowerCase();
    if (name === 'plaintext') {
      yield { text: '&lt;', isKept: true }; // nothing closes it
      at += 1;
      continue;
    }
    const isLeftOut =
      DOCUMENT.has(name) ||
      (slash !== '' && !FORMATTING.has(name) && !KEPT_ENDS.has(name) && !open.includes(name)) ||
      (slash !== '' && FORMATTING.has(name) && (formatting.get(name) ?? 0) === 0);
    const start = at;
    for (const piece of tag(html, at)) {
      if (!isLeftOut) yield piece;
      at += piece.length;
    }
    if (isLeftOut) continue;
    const isSelfClosing = html.slice(start, at).endsWith('/>') && open.some((outer) => FOREIGN.has(outer));
    if (FORMATTING.has(name)) formatting.set(name, (formatting.get(name) ?? 0) + (slash === '' ? 1 : -1));
    else if (slash !== '') open.splice(open.includes(name) ? open.lastIndexOf(name) : open.length);
    else if (!VOID.has(name) && !RAW_ELEMENTS.includes(name) && !KEPT_ENDS.has(name) && !isSelfClosing)
      open.push(name);
    if (slash !== '' || !RAW_ELEMENTS.includes(name)) continue;
    const stop = html.slice(at).search(new RegExp(`</${name}[\\s/>]`, 'i'));
    yield {
      text: stop === -1 ? html.slice(at) : html.slice(at, at + stop),
      isKept: WITH_REFERENCES.has(name),
    };
    if (stop === -1) yield { text: `</${name}>`, isKept: false };
    at = stop === -1 ? html.length : at + stop;
    if (stop !== -1) {
      const end = html.indexOf('>', at) + 1 || html.length;
      yield { text: html.slice(at, end), isKept: false };
      at = end;
    }
  }
  for (const [name, times] of formatting)
    for (let n = 0; n < times; n++) yield { text: `</${name}>`, isKept: true };
  for (const name of open.reverse()) yield { text: `</${name}>`, isKept: true };
}

/** How a comment or what is read as one starts and ends; nothing for a tag. */
function enclosed(html: string, at: number): readonly string[] {
  for (const short of ['<!-->', '<!--->']) if (html.startsWith(short, at)) return [short, ''];
  if (html.startsWith('<!--', at)) return ['<!--', '-->'];
  if (html.startsWith('<![CDATA[', at)) return ['<![CDATA[', ']]>'];
  if (/^<(?:[!?]|\/[^a-z])/i.test(html.slice(at, at + 3))) return [html.slice(at, at + 2), '>'];
  return [];
}

/** The pieces of a tag: its attributes' values, where character references count, and the rest. */
function* tag(html: string, start: number): Generator<Piece & { readonly length: number }> {
  let from = start;
  let at = start + 1;
  const piece = (to: number, isKept: boolean, missing = '') => {
    const text = html.slice(from, to);
    from = to;
    return { text: text + missing, isKept, length: text.length };
  };
  while (at < html.length && html.charAt(at) !== '>') {
    const quote = /^=\s*(["'])/.exec(html.slice(at, at + 200));
    if (quote === null) {
      at += 1;
      continue;
    }
    yield piece(at + quote[0].length, false);
    const end = html.indexOf(quote[1] ?? '"', from);
    at = end === -1 ? html.length : end;
    yield piece(at, true, end === -1 ? quote[1] : '');
    if (end !== -1) at += 1;
  }
  yield at < html.length ? piece(at + 1, false) : piece(at, false, '>');
}
