import { decodeHTML } from 'entities/decode';

/** Comments, scripts, styles and tags. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^>]*(?:>|$)/gi;

/** The same at one place. */
const MARKUP_HERE = new RegExp(MARKUP.source, 'iy');

/** References that stand between words. */
const REFERENCE_HERE = /&(?:nbsp|amp|lt|gt|[mn]dash|hellip);/iy;

/** Words that a person reads in a minute, and characters of the scripts that have no spaces between words. */
const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** How long a text is, for those who wonder whether to begin. */
export interface Length {
  readonly words: number;
  readonly readingMinutes: number;
}

/** The length of an article's HTML. `Intl.Segmenter` would take a thousand times as long. */
export function lengthOf(html: string): Length {
  const { words, ideographs } = countIn(html);
  const minutes = words / WORDS_PER_MINUTE + ideographs / CHARACTERS_PER_MINUTE;
  return { words: words + ideographs, readingMinutes: Math.max(1, Math.round(minutes)) };
}

// The first bit says that a word stands here, the second that a word goes on here.
const SPACE = 0b000;
const WITHIN = 0b010; // such as the apostrophe of "don't"
const LETTER = 0b011;
/** What may stand between words: markup, a reference, a character of Kana, Han or Hangul. */
const APART = 0b100;

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const AMPERSAND = 0x26;

/** By the code of a UTF-16 unit. */
const KINDS = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  if (code === LESS_THAN || code === AMPERSAND || isIdeograph(code)) return APART;
  if (code <= 0x20 || code === 0xa0 /* no-break space */) return SPACE;
  return code > 0xbf || /[a-z\d]/i.test(String.fromCharCode(code)) ? LETTER : WITHIN;
});

/** Whether a unit is a character of a script in which words are not set apart, or may be the first half of one. */
function isIdeograph(unit: number): boolean {
  return (
    (unit >= 0x3040 && unit <= 0x30ff) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    isFirstHalf(unit)
  );
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd840 && unit <= 0xd8bf;
}

/** Room for the characters of one text, used again and again: a string is three times as slow to walk through. */
let room = new Uint16Array(1 << 15);

/**
 * Counts words, and the characters of scripts in which words are not set apart, in one walk: this is done for every
 * article of a site. A tag may stand within a word too; few do, and such a word takes no longer to read.
 */
function countIn(html: string): { readonly words: number; readonly ideographs: number } {
  const { length } = html;
  if (length > room.length) room = new Uint16Array(2 * length);
  const units = room;
  Buffer.from(units.buffer).write(html, 'utf16le');
  let words = 0;
  let ideographs = 0;
  let inWord = 0;
  for (let at = 0; at < length; at++) {
    const unit = units[at] ?? 0;
    let kind = KINDS[unit] ?? LETTER;
    if (kind === APART) {
      const count = apartAt(html, units, at);
      if (count > 0 && unit > 0xff) ideographs++;
      kind = count > 0 ? SPACE : unit === AMPERSAND ? WITHIN : LETTER;
      at += Math.max(0, count - 1);
    }
    words += kind & 1 & ~inWord;
    inWord = (inWord & (kind >> 1)) | (kind & 1);
  }
  return { words, ideographs };
}

/** How many units that stand between words begin at a place; 0 where they are a part of a word. */
function apartAt(html: string, units: Uint16Array, at: number): number {
  const unit = units[at] ?? 0;
  if (unit === LESS_THAN) return markupAt(html, units, at);
  if (unit === AMPERSAND) return matchedAt(REFERENCE_HERE, html, at);
  if (!isFirstHalf(unit)) return 1;
  const next = html.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 0;
}

/** How many characters the markup has that begins with a `<` at a place. */
function markupAt(html: string, units: Uint16Array, at: number): number {
  const second = (units[at + 1] ?? 0) | 0x20;
  // A comment, a script or a style, perhaps.
  if (second === 0x21 || second === 0x73) return matchedAt(MARKUP_HERE, html, at);
  let end = at + 1;
  while (end < html.length && units[end] !== GREATER_THAN) end++;
  return Math.min(end + 1, html.length) - at;
}

function matchedAt(pattern: RegExp, html: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(html) ? pattern.lastIndex - at : 0;
}

/** Tags between which words are apart. */
const BLOCK_TAG = /<\/?(?:br|p|li|h[1-6]|td|th|tr|div)\b[^>]*>/gi;

/** The text of a piece of HTML in one line, without its markup. */
export function textOfHtml(html: string): string {
  const isPlain = !/[<&]/.test(html); // as most headings are
  const text = isPlain ? html : decodeHTML(html.replace(BLOCK_TAG, ' ').replace(MARKUP, ''));
  return text.replace(/\s+/g, ' ').trim();
}

/** Characters of an excerpt, at the most, and of the HTML that is looked at for it. */
const LONGEST_EXCERPT = 200;
const EXCERPT_FROM = 8_000;

const HEADING = /<(h[1-6])\b[\s\S]*?<\/\1>/gi;

/** The beginning of an article's text without its headings, up to the end of a word. */
export function excerptOf(html: string): string {
  const text = textOfHtml(html.slice(0, EXCERPT_FROM).replace(HEADING, ''));
  if (text.length <= LONGEST_EXCERPT) return text;
  const words = text.slice(0, LONGEST_EXCERPT).replace(/\s+\S*$/, '');
  return `${words.toWellFormed().replace(/\ufffd$/, '')}…`;
}
