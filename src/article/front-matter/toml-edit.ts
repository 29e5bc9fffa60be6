import type { FrontMatterValue } from '../mapping.js';
import { scanToml, type TomlEntry } from './toml-entries.js';
import {
  type FrontMatterChanges,
  type FrontMatterMap,
  isList,
  isMap,
  isTimestamp,
  numberText,
  type Replacement,
  withReplacements,
} from './value.js';
import { escapeUnprintable, quoted } from './yaml-text.js';

/**
 * Changes top-level keys of a TOML document and leaves everything else as it is. A map is written as a table; one that
 * is there, with all that belongs to it, is replaced where it stands. Other new keys go above the first table.
 *
 * @param source what the library reads; empty, or ending with a line end.
 * @param lineEnd what is written between lines.
 */
export function editToml(source: string, changes: FrontMatterChanges, lineEnd = '\n'): string {
  const { regions, topEnd } = regionsOf(source);
  const replacements: Replacement[] = [];
  let top = '';
  let bottom = '';
  for (const [key, value] of changes) {
    const own = regions.get(key) ?? [];
    const [first] = own;
    const isInPlace =
      first !== undefined &&
      (isMap(value) ? first.isTable : own.length === 1 && first.valueStart !== undefined);
    for (const region of own) {
      if (region !== first || !isInPlace || value === undefined) replacements.push(lines(source, region));
      else if (isMap(value))
        replacements.push({ start: region.start, end: region.end, text: table(key, value, lineEnd) });
      else
        replacements.push({
          start: region.valueStart ?? 0,
          end: region.end,
          text: tomlValue(value, lineEnd),
        });
    }
    if (value === undefined || isInPlace) continue;
    if (isMap(value))
      bottom += `${isBlankAt(source) && bottom === '' ? '' : lineEnd}${table(key, value, lineEnd)}${lineEnd}`;
    else top += `${keyText(key)} = ${tomlValue(value, lineEnd)}${lineEnd}`;
  }
  if (top !== '') replacements.push({ start: topEnd, end: topEnd, text: top });
  // At one place, what is inserted goes first.
  replacements.sort((a, b) => a.start - b.start || a.end - b.end);
  return withReplacements(source, replacements) + bottom;
}

/** All that belongs to a top-level key and stands together, as offsets. */
interface Region {
  readonly key: string;
  readonly start: number;
  /** Before a comment behind it. */
  readonly end: number;
  readonly isTable: boolean;
  /** Undefined for a table, and for a part of a dotted key. */
  readonly valueStart: number | undefined;
}

/** The regions of all keys, and where further keys can be written: above the first table. */
function regionsOf(source: string): { regions: Map<string, Region[]>; topEnd: number } {
  const { entries } = scanToml(source);
  const regions: Region[] = [];
  let topEnd = 0;
  let table: TomlEntry | undefined;
  for (const entry of entries) {
    const [key = ''] = entry.path;
    if (entry.kind === 'table') {
      table = entry;
      regions.push({ key, start: entry.start, end: entry.end, isTable: true, valueStart: undefined });
    } else if (table === undefined) {
      const valueStart = entry.path.length === 1 ? entry.valueStart : undefined;
      regions.push({ key, start: entry.start, end: entry.end, isTable: false, valueStart });
      topEnd = lineEndAt(source, entry.end);
    } else {
      const last = regions.pop();
      if (last !== undefined) regions.push({ ...last, end: entry.end });
    }
  }
  const byKey = new Map<string, Region[]>();
  for (const region of regions) {
    const others = byKey.get(region.key);
    if (others === undefined) byKey.set(region.key, [region]);
    else others.push(region);
  }
  return { regions: byKey, topEnd: table === undefined ? source.length : topEnd };
}

/** Behind the line end of the line in which an offset is. */
function lineEndAt(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end + 1;
}

function lines(source: string, { start, end }: Region): Replacement {
  const lineStart = start === 0 ? 0 : source.lastIndexOf('\n', start - 1) + 1;
  return { start: lineStart, end: lineEndAt(source, end), text: '' };
}

/** Whether a table at the end of the text needs no empty line before it. */
function isBlankAt(source: string): boolean {
  return source === '' || /\n\r?\n$/.test(source);
}

/** A table without its last line end. */
function table(key: string, map: FrontMatterMap, lineEnd: string): string {
  const entries = Object.entries(map).map(
    ([name, value]) => `${keyText(name)} = ${tomlValue(value, lineEnd)}`,
  );
  return [`[${keyText(key)}]`, ...entries].join(lineEnd);
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?$/;

function tomlValue(value: FrontMatterValue, lineEnd: string): string {
  // Whether readers keep CRLF in a long string is up to them.
  if (typeof value === 'string')
    return value.includes('\n') && lineEnd === '\n' ? long(value) : quoted(value);
  return inlineValue(value);
}

function inlineValue(value: FrontMatterValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return tomlNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isTimestamp(value)) return TIMESTAMP.test(value.text) ? value.text : quoted(value.text);
  if (isList(value)) return `[${value.map(inlineValue).join(', ')}]`;
  const entries = Object.entries(value).map(([key, child]) => `${keyText(key)} = ${inlineValue(child)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function tomlNumber(value: number): string {
  if (Number.isFinite(value)) return numberText(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\r': '\\r', '\b': '\\b', '\f': '\\f' };

/** A text of several lines between three quotes, in which no line looks like a fence. */
function long(text: string): string {
  const escaped = text
    .replace(/[\\\x00-\x08\x0b-\x1f]/g, (char) => ESCAPES[char] ?? unicodeEscape(char))
    .replace(/"""|"$/g, (quotes) => (quotes === '"' ? '\\"' : '""\\"'));
  return `"""\n${escapeUnprintable(escaped).replace(/^(?:\+\+\+|---)/gm, (fence) => (fence === '+++' ? '\\u002b++' : '\\u002d--'))}"""`;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
