/** Words that a person reads in a minute, and characters of the scripts that have no spaces between words. */
const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** How long a text is, for those who wonder whether to begin. */
export interface Length {
  readonly words: number;
  readonly readingMinutes: number;
}

/** The length of an article's HTML: what stands between its tags, outside comments, scripts and styles. */
export function lengthOf(html: string): Length {
  const { words, characters } = count(html, unitsOf(html));
  const minutes = words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
  return { words: words + characters, readingMinutes: Math.max(1, Math.round(minutes)) };
}

/**
 * Counts words, and the characters that stand for words. A function of its own, with nothing to be reckoned behind
 * the loop: else the loop is compiled before that was ever run, and thrown away at its end each time.
 */
function count(html: string, units: Uint16Array): { words: number; characters: number } {
  let words = 0;
  let characters = 0;
  let inWord = 0;
  for (let at = 0; at < html.length; at++) {
    const code = units[at] ?? 0;
    const kind = KINDS[code] ?? kindOf(code);
    if (kind < MARKUP) {
      // Without a branch, as nobody could foretell where the next word begins.
      words += kind & 1 & ~inWord;
      inWord = (inWord & (kind >> 1)) | (kind & 1);
    } else if (kind === MARKUP) {
      at = endOfMarkup(html, at);
      // An inline tag such as <em> may stand within a word; few do, and it takes no longer to read.
      inWord = 0;
    } else if (kind === REFERENCE) {
      if (html.startsWith('&nbsp;', at)) inWord = 0;
      at = endOfReference(html, at); // one character, whatever it is called
    } else {
      characters++;
      inWord = 0;
    }
  }
  return { words, characters };
}

// The first bit says that a word stands here, the second that a word goes on here.
const SPACE = 0b00;
const WITHIN = 0b10; // such as the apostrophe of "don't"
const LETTER = 0b11;
const MARKUP = 4;
const REFERENCE = 5;
const IDEOGRAPH = 6;

/** Room for the characters of one text, used again and again. */
let room = new Uint16Array(1 << 15);

/** A text's UTF-16 units as numbers: a string is three times as slow to walk through. */
function unitsOf(text: string): Uint16Array {
  if (text.length > room.length) room = new Uint16Array(2 * text.length);
  Buffer.from(room.buffer).write(text, 'utf16le');
  return room;
}

/** The kinds of the commonest characters: every character of every article passes here. */
const KINDS = Uint8Array.from({ length: 0x100 }, (_, code) => kindOf(code));

function kindOf(code: number): number {
  const lower = code | 0x20;
  if (code === 0x3c /* < */) return MARKUP;
  if (code === 0x26 /* & */) return REFERENCE;
  if (code <= 0x20 || code === 0xa0 /* no-break space */) return SPACE;
  if (isIdeographic(code)) return IDEOGRAPH;
  const isLetter = (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code > 0xbf;
  return isLetter ? LETTER : WITHIN;
}

/** The position of the last character of a tag or comment, and of all that a script or style holds. */
function endOfMarkup(html: string, start: number): number {
  if (html.startsWith('<!--', start)) return endOf(html, '-->', start);
  const next = html.charCodeAt(start + 1) | 0x20;
  if (next === 0x73 /* s */) {
    const name = /^<(script|style)\b/i.exec(html.slice(start, start + 8))?.[1];
    if (name !== undefined) return endOf(html, `</${name}>`, start);
  }
  return endOf(html, '>', start);
}

/** Longest name of a character reference that is looked for, with its semicolon. */
const LONGEST_REFERENCE = 10;

function endOfReference(html: string, start: number): number {
  const end = html.slice(start, start + LONGEST_REFERENCE).indexOf(';');
  return end === -1 ? start : start + end;
}

function endOf(html: string, mark: string, start: number): number {
  const at = html.indexOf(mark, start);
  return at === -1 ? html.length : at + mark.length - 1;
}

/** Whether a UTF-16 unit is of a script in which words are not set apart: Chinese, Japanese, Korean. */
function isIdeographic(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) || // kana
    (code >= 0x3400 && code <= 0x9fff) || // Han
    (code >= 0xac00 && code <= 0xd7a3) || // Hangul
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xd840 && code <= 0xd8bf) // the first half of a Han character beyond the basic plane
  );
}
