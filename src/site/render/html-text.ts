import { decodeHTML } from 'entities/decode';

/** Comments, scripts, styles and tags. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^>]*(?:>|$)/gi;

/** What may stand between words at a place: markup, a reference, or a character of a script that sets no words apart. */
const GAP_HERE = new RegExp(
  `${MARKUP.source}|&(?:nbsp|amp|lt|gt|[mn]dash|hellip);|[\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff]|[\\ud840-\\ud8bf][\\udc00-\\udfff]`,
  'iy',
);

/** What such a thing begins with. */
const FIRST_OF_GAP = /[<&\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\ud840-\ud8bf]/;

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
/** See `GAP_HERE`. */
const GAP = 0b100;

const AMPERSAND = 0x26;

/** By the code of a UTF-16 unit. */
const KINDS = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  const unit = String.fromCharCode(code);
  if (FIRST_OF_GAP.test(unit)) return GAP;
  if (code <= 0x20 || code === 0xa0 /* no-break space */) return SPACE;
  return code > 0xbf || /[a-z\d]/i.test(unit) ? LETTER : WITHIN;
});

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
    if (kind === GAP) {
      GAP_HERE.lastIndex = at;
      if (GAP_HERE.test(html)) {
        if (unit > 0xff) ideographs++;
        at = GAP_HERE.lastIndex - 1;
        kind = SPACE;
      } else kind = unit === AMPERSAND ? WITHIN : LETTER;
    }
    words += kind & 1 & ~inWord;
    inWord = (inWord & (kind >> 1)) | (kind & 1);
  }
  return { words, ideographs };
}

/** Tags between which words are apart. */
const BLOCK_TAG = /<\/?(?:br|p|li|h[1-6]|td|th|tr|div)\b[^>]*(?:>|$)/gi;

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
