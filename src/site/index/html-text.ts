import { gapAt, HIDDEN_ELEMENTS, textIn } from '../../article/text/html-tokens.js';

/** How many words a person reads per minute, and how many characters of scripts without spaces between words. */
const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** Comments, scripts, styles, tags, and character references that separate words. */
const BETWEEN_WORDS =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^>]*(?:>|$)|&(?:nbsp|amp|lt|gt|[mn]dash|hellip);/gi;

/** A character of a script without spaces between words. */
const IDEOGRAPH = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{3ffff}]/gu;

const WORD = /[\p{L}\p{N}]\S*/gu;

/**
 * Estimates the length of an article's text and its reading time. Regular expressions recognise the markup, which is good
 * enough for an estimate; a tokenizer would take five times as long.
 */
export function lengthOf(html: string): { readonly words: number; readonly readingMinutes: number } {
  const text = html.replace(BETWEEN_WORDS, ' ');
  const ideographs = text.match(IDEOGRAPH)?.length ?? 0;
  const words = text.replace(IDEOGRAPH, '').match(WORD)?.length ?? 0;
  const minutes = words / WORDS_PER_MINUTE + ideographs / CHARACTERS_PER_MINUTE;
  return { words: words + ideographs, readingMinutes: Math.max(1, Math.round(minutes)) };
}

/** Converts HTML to plain text in one line. */
export function textOfHtml(html: string): string {
  return inOneLine(textIn(html, gapAt));
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The longest excerpt, and how much HTML is read for it, in characters. */
const LONGEST_EXCERPT = 200;
const EXCERPT_FROM = 8_000;

/** Elements without a place in excerpts; a heading says little without its text. */
const NOT_IN_EXCERPT = [...HIDDEN_ELEMENTS, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Returns the beginning of an article's text without headings, up to the end of a word. */
export function excerptOf(html: string): string {
  const text = inOneLine(textIn(html.slice(0, EXCERPT_FROM), gapAt, NOT_IN_EXCERPT));
  if (text.length <= LONGEST_EXCERPT) return text;
  const words = text.slice(0, LONGEST_EXCERPT).replace(/\s+\S*$/, '');
  return `${words.toWellFormed().replace(/\ufffd$/, '')}…`;
}
