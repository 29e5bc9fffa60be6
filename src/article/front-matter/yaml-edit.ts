import { isDeepStrictEqual } from 'node:util';
import type { Pair, YAMLMap } from 'yaml';
import { PressmarkError } from '../../errors.js';
import type { FrontMatterValue } from '../format/mapping.js';
import { type Replacement, withReplacements } from '../text/replacements.js';
import { yamlLibrary } from './libraries.js';
import { type FrontMatterChanges, isList, isMap, plainValue } from './value.js';
import { flowValue, quoted, valueText, yamlEntry } from './yaml-text.js';

/**
 * Changes top-level keys of a YAML document, and leaves everything else unchanged, also within a map or a list of maps that
 * keeps its keys.
 *
 * @param source the document, without fences; empty, or ending with a line end.
 * @param lineEnd the line end for new lines.
 * @throws PressmarkError ARTICLE_UNREADABLE if the document is not a map of plain keys. The result may be wrong in other cases;
 *   the caller reads it back.
 */
export function editYaml(source: string, changes: FrontMatterChanges, lineEnd = '\n'): string {
  const map = topMap(source);
  if (map?.flow) return editYaml(inLines(source, map), changes, lineEnd);
  const entries = entriesOf(source, map?.items ?? []);
  const found = new Set(entries.map(({ key }) => key));
  const indent = indentOf(entries);
  const added = [...changes].flatMap(([key, value]) =>
    value === undefined || found.has(key) ? [] : [yamlEntry(key, value, indent)],
  );
  const withEnds = (yaml: string) => (lineEnd === '\n' ? yaml : yaml.replaceAll('\n', lineEnd));
  const replacements = editsOf(source, entries, changes);
  return (
    withReplacements(
      source,
      replacements.map(({ start, end, text }) => ({ start, end, text: withEnds(text) })),
    ) + withEnds(added.join(''))
  );
}

/** The edits that change and remove keys of a map. */
function editsOf(source: string, entries: readonly YamlEntry[], changes: FrontMatterChanges): Replacement[] {
  const indent = indentOf(entries);
  return entries
    .filter(({ key }) => changes.has(key))
    .flatMap((entry) => {
      const value = changes.get(entry.key);
      if (value === undefined) return [removed(source, entry)];
      return editsWithin(source, entry.value, value) ?? [replaced(source, entry, value, indent)];
    });
}

/** The edits within a map or a list of maps; undefined if the value must be written anew. */
function editsWithin(source: string, node: unknown, value: FrontMatterValue): Replacement[] | undefined {
  const yaml = yamlLibrary();
  if (yaml.isMap(node) && isMap(value)) {
    const present = new Map(Object.entries(node.toJSON()));
    const wanted = Object.entries(value);
    if (wanted.length !== present.size || wanted.some(([key]) => !present.has(key))) return undefined;
    const changes = new Map(wanted.filter(([key, one]) => !isSame(present.get(key), one)));
    return node.flow
      ? editsOfFlow(source, node.items, changes)
      : editsOf(source, entriesOf(source, node.items), changes);
  }
  if (!yaml.isSeq(node) || !isList(value) || node.items.length !== value.length) return undefined;
  const present: readonly unknown[] = node.toJSON();
  const edits: Replacement[] = [];
  for (const [index, item] of value.entries()) {
    const within = isSame(present[index], item) ? [] : editsWithin(source, node.items[index], item);
    if (within === undefined) return undefined;
    edits.push(...within);
  }
  return edits;
}

/** The edits that change values of a map such as `{a: 1}`; undefined if a value has no text, or a tag such as `!!str`. */
function editsOfFlow(
  source: string,
  pairs: readonly Pair[],
  changes: FrontMatterChanges,
): Replacement[] | undefined {
  const { isNode } = yamlLibrary();
  const edits: Replacement[] = [];
  for (const { key, value: node } of pairs) {
    const value = changes.get(String(key));
    if (value === undefined) continue;
    const [start, end] = (isNode(node) && node.tag === undefined && node.range) || [0, 0];
    if (start === end) return undefined;
    const gap = source[start - 1] === ':' ? ' ' : ''; // only a list or a map needs none
    edits.push(...(editsWithin(source, node, value) ?? [{ start, end, text: gap + flowValue(value) }]));
  }
  return edits;
}

function isSame(present: unknown, value: FrontMatterValue): boolean {
  return isDeepStrictEqual(present, plainValue(value));
}

function indentOf([first]: readonly YamlEntry[]): string {
  return ' '.repeat(first?.column ?? 0);
}

/** A key of a map, as offsets. */
interface YamlEntry {
  readonly key: string;
  /** The node of the library. */
  readonly value: unknown;
  readonly keyStart: number;
  /** The indentation of the key. */
  readonly column: number;
  /** The offset after the colon. */
  readonly colonEnd: number;
  readonly valueStart: number;
  /** The offset after the last character of the value. */
  readonly valueEnd: number;
  /** Whether the value is a list or a map on separate lines: a comment after it belongs to its last item. */
  readonly isBlock: boolean;
}

/** The document's map; null if there are only comments. */
function topMap(source: string): YAMLMap | null {
  const { isMap, parseDocument } = yamlLibrary();
  // Not strict: people close a multi-line list at the margin, which YAML forbids.
  const { contents, errors } = parseDocument(source, { strict: false });
  const [error] = errors;
  if (error !== undefined) throw unreadable(error.message.split(/ at line |:?\n/, 1)[0] ?? '');
  if (contents === null) return null;
  if (!isMap(contents)) throw unreadable('it is not an ordinary map of keys and values');
  return contents as YAMLMap;
}

function entriesOf(source: string, pairs: readonly Pair[]): YamlEntry[] {
  return pairs.map((pair) => entryOf(source, pair));
}

function entryOf(source: string, { key, value }: Pair): YamlEntry {
  const { isCollection, isNode, isScalar } = yamlLibrary();
  if (!isScalar(key) || !key.range) throw unreadable('it has a key that is not a plain one');
  const [keyStart, keyEnd] = key.range;
  const column = keyStart - (source.lastIndexOf('\n', keyStart - 1) + 1);
  const colonEnd = source.indexOf(':', keyEnd) + 1;
  if (
    colonEnd === 0 ||
    /[^\s-]/.test(source.slice(keyStart - column, keyStart)) || // the dash of a list may come before
    source.slice(keyEnd, colonEnd - 1).trim() !== ''
  )
    throw unreadable(`it has a key that is not a plain one`);
  const range = isNode(value) ? value.range : undefined;
  const [valueStart, end] = range && range[1] > range[0] ? range : [colonEnd, colonEnd];
  // Blanks at the end of a block's last line are text; empty lines below it are not.
  const isBlock = isCollection(value) && !value.flow;
  const text = isBlock ? ownLines(source.slice(valueStart, end), column) : source.slice(valueStart, end);
  const blanks = /^[^\S\r\n]*/.exec(text.slice(text.trimEnd().length))?.[0].length ?? 0;
  return {
    key: String(key.value),
    value,
    keyStart,
    column,
    colonEnd,
    valueStart,
    valueEnd: Math.max(colonEnd, valueStart + text.trimEnd().length + blanks),
    isBlock,
  };
}

/** A block without the comments at the margin below it, which the library counts as part of it. */
function ownLines(block: string, column: number): string {
  const lines = block.split('\n');
  const isAtMargin = new RegExp(`^ {0,${column}}#`);
  let end = lines.length;
  for (let at = end - 1; at > 0 && /^\s*(?:#|$)/.test(lines[at] ?? ''); at--)
    if (isAtMargin.test(lines[at] ?? '')) end = at;
  return lines.slice(0, end).join('\n');
}

function removed(source: string, { keyStart, column, valueEnd }: YamlEntry): Replacement {
  const lineEnd = source.indexOf('\n', valueEnd);
  return { start: keyStart - column, end: lineEnd === -1 ? source.length : lineEnd + 1, text: '' };
}

/** A comment or blanks below a value, with an indentation, which would become part of the text of a block. */
const INDENTED_BELOW = /[^\n]*\n(?:\r?\n)*[ \t]/y;

/** Replaces the value after a key's colon. Comments on the key's line and after the value are kept. */
function replaced(
  source: string,
  { colonEnd, valueStart, valueEnd, isBlock }: YamlEntry,
  value: FrontMatterValue,
  indent: string,
): Replacement {
  INDENTED_BELOW.lastIndex = valueEnd;
  const isLine = typeof value === 'string' && INDENTED_BELOW.test(source);
  const yaml = isLine ? ` ${quoted(value)}` : valueText(value, indent);
  const [first = ''] = yaml.split('\n', 1);
  const rest = yaml.slice(first.length);
  // Comments before the value, and on the first line of a block.
  const [onKeyLine = '', ...below] = source.slice(colonEnd, valueStart).split('\n');
  const [line = ''] = source.slice(valueStart, valueEnd).split('\n', 1);
  const header = /^[|>]/.test(line) ? line : '';
  const behind = isBlock ? '' : commentAt(source, valueEnd);
  const comments = [onKeyLine, header, behind].map((text) => /(?:^|\s)(#[^\r\n]*)/.exec(text)?.[1] ?? '');
  const kept = comments.filter((comment) => comment !== '');
  // A comment on a separate line would become part of the text of a block.
  const lines =
    rest === '' ? below.filter((line) => /^\s*#/.test(line)).map((line) => `\n${line.trimEnd()}`) : [];
  // Unchanged, with its blanks, if nothing else changes in the line.
  const isAlone = rest === '' && lines.length === 0 && kept.length === 1 && behind !== '';
  const text = isAlone ? `${first}${behind}` : `${[first, ...kept].join(' ')}${lines.join('')}${rest}`;
  // Blanks at the end of the line would become part of the text of a block.
  const end = valueEnd + behind.length;
  return { start: colonEnd, end: rest === '' ? end : end + blanksAt(source, end), text };
}

/** The comment after the last line of a value, with the blanks before it. */
function commentAt(source: string, end: number): string {
  const comment = /[ \t]+#[^\r\n]*/y;
  comment.lastIndex = end;
  return comment.exec(source)?.[0] ?? '';
}

/** The number of blanks at an offset. */
function blanksAt(source: string, at: number): number {
  const blanks = /[ \t]*/y;
  blanks.lastIndex = at;
  return blanks.exec(source)?.[0].length ?? 0;
}

/** Rewrites a document such as `{a: 1, b: 2}` with a line per key. */
function inLines(source: string, { items }: YAMLMap): string {
  const { isNode } = yamlLibrary();
  const textOf = (node: unknown) =>
    isNode(node) && node.range ? source.slice(node.range[0], node.range[1]).replaceAll('\n', '\n  ') : '';
  return items.map(({ key, value }) => `${textOf(key)}: ${textOf(value)}\n`).join('');
}

function unreadable(reason: string): PressmarkError {
  return new PressmarkError(
    'ARTICLE_UNREADABLE',
    `the article’s front matter cannot be rewritten: ${reason}; write it as plain keys and values`,
  );
}
