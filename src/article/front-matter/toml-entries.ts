import { createRequire } from 'node:module';
import type toml from 'smol-toml';

/** A piece of a text, as offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A key with its value, or the header of a table, with its place in the text. */
export interface TomlEntry extends TextRange {
  readonly kind: 'value' | 'table';
  /** The parts of a dotted key; for a value below a header, without those of the header. */
  readonly path: readonly string[];
  /** Of the value; for a header, its end. */
  readonly valueStart: number;
}

/** Where the parts of a TOML document are. */
export interface TomlScan {
  /** In their order. The end of each is that of its value or header, before a comment behind it. */
  readonly entries: readonly TomlEntry[];
  /** The dates and times without quotes that are values, wherever they stand. */
  readonly dates: readonly TextRange[];
}

const require = createRequire(import.meta.url);

const DATE =
  /\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?/y;

/**
 * Finds the keys, headers and dates of a TOML document. The library that reads TOML says nothing about places.
 *
 * @param source what the library has accepted; for anything else the result is arbitrary.
 */
export function scanToml(source: string): TomlScan {
  const entries: TomlEntry[] = [];
  const dates: TextRange[] = [];
  let at = pastBlank(source, 0);
  while (at < source.length) {
    const start = at;
    if (source.charAt(at) === '[') {
      const isList = source.charAt(at + 1) === '[';
      const { path, end } = readKey(source, at + (isList ? 2 : 1));
      at = end + (isList ? 2 : 1);
      entries.push({ kind: 'table', path, start, valueStart: at, end: at });
    } else {
      const { path, end } = readKey(source, at);
      const valueStart = past(SPACE, source, end + 1);
      at = valueEnd(source, valueStart, dates);
      entries.push({ kind: 'value', path, start, valueStart, end: at });
    }
    at = pastBlank(source, Math.max(at, start + 1));
  }
  return { entries, dates };
}

const SPACE = /[ \t]*/y;
const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const BARE = /[\w-]*/y;
const SIMPLE_VALUE = /[^\s,[\]{}"'#=]+/y;

function past(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

function pastBlank(source: string, at: number): number {
  return past(BLANK, source, at);
}

/** A key, dotted or not, up to the first character that is not part of it. */
function readKey(source: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = past(SPACE, source, from);
  for (;;) {
    const quoteMark = source.charAt(at);
    const isQuoted = quoteMark === '"' || quoteMark === "'";
    const end = isQuoted ? stringEnd(source, at) : past(BARE, source, at);
    const part = source.slice(at, end);
    path.push(isQuoted ? unquoted(part) : part);
    at = past(SPACE, source, end);
    if (source.charAt(at) !== '.') return { path, end: at };
    at = past(SPACE, source, at + 1);
  }
}

function unquoted(key: string): string {
  if (!key.startsWith('"') || !key.includes('\\')) return key.slice(1, -1);
  const { parse }: typeof toml = require('smol-toml');
  return Object.keys(parse(`${key} = 0`))[0] ?? '';
}

/** Behind the value that begins at `at`. The dates in it are added to `dates`. */
function valueEnd(source: string, start: number, dates: TextRange[]): number {
  let depth = 0;
  let at = start;
  while (at < source.length) {
    const first = source.charAt(at);
    if (first === '"' || first === "'") at = stringEnd(source, at);
    else if (first === '[' || first === '{') {
      depth++;
      at++;
    } else if (first === ']' || first === '}') {
      depth--;
      at++;
    } else {
      const date = past(DATE, source, at);
      if (date > at && isWhole(source, date)) dates.push({ start: at, end: date });
      at = Math.max(date, past(SIMPLE_VALUE, source, at), at + 1);
    }
    if (depth === 0) return at;
    while (/[\s,=#]/.test(source.charAt(at)))
      at = /[,=]/.test(source.charAt(at)) ? at + 1 : pastBlank(source, at);
  }
  return at;
}

/** Whether a date that ends here is not the beginning of a key, as there can be in an inline table. */
function isWhole(source: string, end: number): boolean {
  return !/[\w-]/.test(source.charAt(end)) && !/[.=]/.test(source.charAt(past(SPACE, source, end)));
}

/** Behind a string in quotes of any of the four kinds. */
function stringEnd(source: string, start: number): number {
  const mark = source.charAt(start);
  const isLong = source.startsWith(mark.repeat(3), start);
  let at = contentEnd(source, start + (isLong ? 3 : 1), isLong ? mark.repeat(3) : mark);
  // Up to two quotes may stand before the three that close a string.
  for (let extra = 0; isLong && extra < 2 && source.charAt(at) === mark; extra++) at++;
  return at;
}

function contentEnd(source: string, start: number, closing: string): number {
  if (closing.startsWith("'")) {
    const end = source.indexOf(closing, start);
    return end === -1 ? source.length : end + closing.length;
  }
  const mark = closing === '"' ? /\\|"/g : /\\|"""/g;
  mark.lastIndex = start;
  for (let match = mark.exec(source); match !== null; match = mark.exec(source)) {
    if (match[0] === closing) return mark.lastIndex;
    mark.lastIndex++;
  }
  return source.length;
}
