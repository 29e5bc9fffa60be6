import { decodeHTML } from 'entities/decode';

/** Comments, scripts, styles and tags. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^>]*(?:>|$)/gi;

/**
 * The same, and references that stand between words. A tag may stand within a word too; few do, and such a word takes no
 * longer to read.
 */
const BETWEEN_WORDS = new RegExp(`${MARKUP.source}|&(?:nbsp|amp|lt|gt|[mn]dash|hellip);`, 'gi');

/** Words that a person reads in a minute, and characters of the scripts that have no spaces between words. */
const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** Kana, Han and Hangul, in which words are not set apart. */
const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]|[\ud840-\ud8bf][\udc00-\udfff]/g;

/** How long a text is, for those who wonder whether to begin. */
export interface Length {
  readonly words: number;
  readonly readingMinutes: number;
}

/** The length of an article's HTML. `Intl.Segmenter` would take a thousand times as long. */
export function lengthOf(html: string): Length {
  const text = html.replace(BETWEEN_WORDS, ' ');
  const spaced = text.replace(IDEOGRAPHS, ' ');
  const words = countWords(spaced);
  // A character of two units leaves one space, as a character of one unit does.
  const characters = spaced === text ? 0 : (text.match(IDEOGRAPHS)?.length ?? 0);
  const minutes = words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
  return { words: words + characters, readingMinutes: Math.max(1, Math.round(minutes)) };
}

// The first bit says that a word stands here, the second that a word goes on here.
const SPACE = 0b00;
const WITHIN = 0b10; // such as the apostrophe of "don't"
const LETTER = 0b11;

const KINDS = Uint8Array.from({ length: 0x100 }, (_, code) => {
  if (code <= 0x20 || code === 0xa0 /* no-break space */) return SPACE;
  return code > 0xbf || /[a-z\d]/i.test(String.fromCharCode(code)) ? LETTER : WITHIN;
});

/** Counts words: a regular expression takes three times as long, for every article of a site. */
function countWords(text: string): number {
  let words = 0;
  let inWord = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)] ?? LETTER;
    words += kind & 1 & ~inWord;
    inWord = (inWord & (kind >> 1)) | (kind & 1);
  }
  return words;
}

/** The text of a piece of HTML in one line, without its markup. */
export function textOfHtml(html: string): string {
  return decodeHTML(html.replace(/<\/?(?:br|p|li|h[1-6]|td|th|tr|div)\b[^>]*>/gi, ' ').replace(MARKUP, ''))
    .replace(/\s+/g, ' ')
    .trim();
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
