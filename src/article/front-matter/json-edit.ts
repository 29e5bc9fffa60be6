import { PressmarkError, quote } from '../../errors.js';
import type { FrontMatterValue } from '../mapping.js';
import { jsonEntries } from './json-entries.js';
import { editList, type FrontMatterChanges, isList, isTimestamp, numberText } from './value.js';
import { quoted } from './yaml-text.js';

/**
 * Changes keys of a JSON object and leaves everything else as it is. New keys are indented as the others are.
 *
 * @param source what `JSON.parse` takes for an object; white space may stand around it.
 * @param lineEnd what is written between lines.
 * @throws PressmarkError ARTICLE_UNREADABLE where a key that is to be changed stands twice.
 */
export function editJson(source: string, changes: FrontMatterChanges, lineEnd = '\n'): string {
  const entries = jsonEntries(source);
  const keys = new Set<string>();
  for (const { key } of entries) {
    if (keys.has(key) && changes.has(key)) {
      const message = `the article's front matter cannot be rewritten, ${quote(key)} stands in it twice; remove one`;
      throw new PressmarkError('ARTICLE_UNREADABLE', message);
    }
    keys.add(key);
  }

  const open = source.indexOf('{') + 1;
  const [first] = entries;
  const layout = layoutOf(source, open, first?.start);
  const colon = first === undefined ? ': ' : source.slice(first.keyEnd, first.valueStart);
  const writing = { ...layout, colon, lineEnd };
  const pieces = entries.map(({ key, start, valueStart, end }) => {
    const value = changes.get(key);
    if (!changes.has(key)) return { start, end, text: source.slice(start, end) };
    if (value === undefined) return { start, end, text: undefined };
    return { start, end, text: source.slice(start, valueStart) + jsonValue(value, writing, layout.indent) };
  });
  const added: string[] = [];
  for (const [key, value] of changes)
    if (value !== undefined && !keys.has(key))
      added.push(`${quoted(key)}${colon}${jsonValue(value, writing, layout.indent)}`);
  const gap = entries[1] === undefined ? (layout.isLined ? lineEnd + layout.indent : ' ') : undefined;
  const comma = gap === undefined ? source.slice(entries[0]?.end, entries[1]?.start) : `,${gap}`;
  const list = editList(source, pieces, added, comma);
  if (pieces.length > 0) return source.slice(0, list.start) + list.text + source.slice(list.end);
  if (list.isEmpty) return source;
  // An empty object does not show a layout: one key on each line.
  const close = source.lastIndexOf('}');
  return `${source.slice(0, open)}${lineEnd}${layout.indent}${list.text}${lineEnd}${source.slice(close)}`;
}

interface JsonLayout {
  readonly isLined: boolean;
  /** Of the object's keys. */
  readonly indent: string;
  /** By which nested keys are indented more. */
  readonly unit: string;
}

interface JsonWriting extends JsonLayout {
  readonly colon: string;
  readonly lineEnd: string;
}

function layoutOf(source: string, open: number, firstKey: number | undefined): JsonLayout {
  if (firstKey === undefined) return { isLined: true, indent: '  ', unit: '  ' };
  const before = source.slice(open, firstKey);
  const indent = before.slice(before.lastIndexOf('\n') + 1);
  return {
    isLined: before.includes('\n'),
    indent,
    unit: indent === '' ? '' : indent.startsWith('\t') ? '\t' : indent,
  };
}

function jsonValue(value: FrontMatterValue, writing: JsonWriting, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  if (isTimestamp(value)) return quoted(value.text);
  if (isList(value))
    return `[${value.map((item) => jsonValue(item, { ...writing, isLined: false }, '')).join(', ')}]`;
  const { isLined, unit, lineEnd, colon } = writing;
  const inner = indent + unit;
  const entries = Object.entries(value).map(
    ([key, child]) => `${quoted(key)}${colon}${jsonValue(child, writing, inner)}`,
  );
  if (!isLined || entries.length === 0) return `{${entries.join(', ')}}`;
  return `{${lineEnd}${inner}${entries.join(`,${lineEnd}${inner}`)}${lineEnd}${indent}}`;
}
