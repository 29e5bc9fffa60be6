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
  let words = 0;
  let characters = 0;
  let inWord = false;
  for (let at = 0; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === LESS_THAN) {
      at = endOfMarkup(html, at);
      // An inline tag such as <em> may stand within a word; few do, and it takes no longer to read.
      inWord = false;
    } else if (code === AMPERSAND) {
      if (html.startsWith('&nbsp;', at)) inWord = false;
      at = endOfReference(html, at); // one character, whatever it is called
    } else if (isIdeographic(code)) {
      characters++;
      inWord = false;
    } else if (isLetter(code)) {
      if (!inWord) words++;
      inWord = true;
    } else if (code <= SPACE || code === NO_BREAK_SPACE) {
      inWord = false;
    }
  }
  const minutes = words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
  return { words: words + characters, readingMinutes: Math.max(1, Math.round(minutes)) };
}

const LESS_THAN = 0x3c;
const AMPERSAND = 0x26;
const SPACE = 0x20;
const NO_BREAK_SPACE = 0xa0;

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

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code > 0xbf;
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
