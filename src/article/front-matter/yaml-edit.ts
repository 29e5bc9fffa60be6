import type { CST } from 'yaml';
import { PressmarkError } from '../../errors.js';
import type { FrontMatterValue } from '../mapping.js';
import { yamlLibrary } from './libraries.js';
import {
  editList,
  type FrontMatterChanges,
  isList,
  isMap,
  isTimestamp,
  numberText,
  type Replacement,
  withReplacements,
} from './value.js';
import { literal, quoted } from './yaml-text.js';

/**
 * Changes top-level keys of a YAML document and leaves everything else as it is.
 *
 * @param source the document, without fences; empty, or ending with a line end.
 * @param lineEnd what is written between lines.
 * @throws PressmarkError ARTICLE_UNREADABLE where the document is not a map, or a key is written in a way that
 *   cannot be changed. The result need not be right in all other cases; the caller reads it back.
 */
export function editYaml(source: string, changes: FrontMatterChanges, lineEnd = '\n'): string {
  const map = source === '' ? undefined : topMap(source);
  if (map?.type === 'flow-collection') return editFlow(source, map, changes);

  const entries = map === undefined ? [] : entriesOf(map.items);
  const indent = ' '.repeat(map?.indent ?? 0);
  const withEnds = (yaml: string) => (lineEnd === '\n' ? yaml : yaml.replaceAll('\n', lineEnd));
  const { present, added } = assign(entries, changes);
  const replacements = present.map(({ entry, value }) => {
    if (value === undefined) return removedLines(source, entry);
    const { start, end, text } = replacedValue(source, entry, value, indent);
    return { start, end, text: withEnds(text) };
  });
  const lines = added.map(
    ([key, value]) => `${indent}${keyText(key)}:${afterColon(blockValue(value, indent))}\n`,
  );
  return withReplacements(source, replacements) + withEnds(lines.join(''));
}

/** A token of the source that is a piece of text, with the kind that the library gives it. */
interface Leaf {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** A top-level key with its value. */
interface YamlEntry {
  readonly key: string | undefined;
  /** Everything of it, from its first character to its last that is not a space, a line end or a comment. */
  readonly leaves: readonly Leaf[];
  readonly start: number;
  readonly end: number;
  /** Behind the colon; undefined where there is none. */
  readonly colonEnd: number | undefined;
  readonly value: CST.Token | null | undefined;
}

/** The document's map; undefined where there is nothing but comments. */
function topMap(source: string): CST.BlockMap | CST.FlowCollection | undefined {
  const { Parser } = yamlLibrary();
  let map: CST.BlockMap | CST.FlowCollection | undefined;
  for (const token of new Parser().parse(source)) {
    switch (token.type) {
      case 'comment':
      case 'newline':
      case 'space':
        break;
      case 'document':
        if (map !== undefined || token.start.some(({ type }) => type === 'anchor' || type === 'tag'))
          throw unreadable('it is not an ordinary map of keys and values');
        if (token.value === undefined) break;
        if (
          token.value.type !== 'block-map' &&
          (token.value.type !== 'flow-collection' || token.value.start.source !== '{')
        )
          throw unreadable('it is not an ordinary map of keys and values');
        map = token.value;
        break;
      default:
        throw unreadable('it has YAML directives or errors');
    }
  }
  return map;
}

const BLANK_TYPES: ReadonlySet<string> = new Set(['space', 'newline', 'comment', 'comma']);

function entriesOf(items: readonly CST.CollectionItem[]): YamlEntry[] {
  const entries: YamlEntry[] = [];
  for (const item of items) {
    const leaves: Leaf[] = [];
    addItem(item, leaves);
    const isContent = ({ type, start, end }: Leaf) => !BLANK_TYPES.has(type) && end > start;
    const first = leaves.findIndex(isContent);
    if (first === -1) continue; // only comments
    const last = leaves.findLastIndex(isContent);
    const colon = item.sep?.find(({ type }) => type === 'map-value-ind');
    entries.push({
      key: keyOf(item),
      leaves: leaves.slice(first),
      start: leaves[first]?.start ?? 0,
      end: leaves[last]?.end ?? 0,
      colonEnd: colon === undefined ? undefined : colon.offset + colon.source.length,
      value: item.value,
    });
  }
  return entries;
}

/** The text of an ordinary key; undefined for `? key`, for keys with a tag or an anchor and for collections. */
function keyOf({ start, key }: CST.CollectionItem): string | undefined {
  if (!start.every(({ type }) => BLANK_TYPES.has(type))) return undefined;
  const { CST: syntax } = yamlLibrary();
  return key === undefined || !syntax.isScalar(key) || key.type === 'alias'
    ? undefined
    : syntax.resolveAsScalar(key, false, (_offset, _code, message) => {
        throw unreadable(message);
      }).value;
}

function addItem(item: CST.CollectionItem, leaves: Leaf[]): void {
  for (const token of item.start) addLeaf(token, leaves);
  addTokens(item.key, leaves);
  for (const token of item.sep ?? []) addLeaf(token, leaves);
  addTokens(item.value, leaves);
}

function addTokens(token: CST.Token | null | undefined, leaves: Leaf[]): void {
  if (token === null || token === undefined) return;
  if (token.type === 'flow-collection') addLeaf(token.start, leaves);
  if (token.type === 'block-scalar') {
    for (const prop of token.props) addTokens(prop, leaves);
    // Empty lines at the end are left where they are; spaces at the end of the last line are text.
    const start = leaves.at(-1)?.end ?? token.offset;
    const spaces = /[^\S\r\n]*/y;
    spaces.lastIndex = token.source.trimEnd().length;
    spaces.test(token.source);
    leaves.push({ type: token.type, start, end: start + spaces.lastIndex });
  } else if ('items' in token) for (const item of token.items) addItem(item, leaves);
  else if ('source' in token) addLeaf(token, leaves);
  if ('end' in token) for (const end of token.end ?? []) addLeaf(end, leaves);
}

function addLeaf({ type, offset, source }: { type: string; offset: number; source: string }, leaves: Leaf[]) {
  leaves.push({ type, start: offset, end: offset + source.length });
}

/** Which entries the changes concern, in the order of the text, and which keys are new. */
function assign(entries: readonly YamlEntry[], changes: FrontMatterChanges) {
  const present: { entry: YamlEntry; value: FrontMatterValue | undefined }[] = [];
  const found = new Set<string>();
  for (const entry of entries) {
    if (entry.key === undefined || !changes.has(entry.key)) continue;
    present.push({ entry, value: changes.get(entry.key) });
    found.add(entry.key);
  }
  const added: [key: string, value: FrontMatterValue][] = [];
  for (const [key, value] of changes) if (value !== undefined && !found.has(key)) added.push([key, value]);
  return { present, added };
}

/** The comment behind the last line of a value, with the spaces before it; else nothing. */
function commentBehind(source: string, end: number): string {
  const comment = /[ \t]+#[^\r\n]*/y;
  comment.lastIndex = end;
  return comment.exec(source)?.[0] ?? '';
}

function removedLines(source: string, entry: YamlEntry): Replacement {
  const start = source.lastIndexOf('\n', entry.start - 1) + 1;
  const lineEnd = source.indexOf('\n', entry.end);
  return {
    start: entry.start === 0 ? 0 : start,
    end: lineEnd === -1 ? source.length : lineEnd + 1,
    text: '',
  };
}

/** The value behind a key's colon, and the comments before it and behind it that stay with the new one. */
function replacedValue(
  source: string,
  entry: YamlEntry,
  value: FrontMatterValue,
  indent: string,
): Replacement {
  const { colonEnd, end } = entry;
  if (colonEnd === undefined) throw unreadable('a key has no colon');
  const yaml = blockValue(value, indent);
  const headEnd = yaml.indexOf('\n') === -1 ? yaml.length : yaml.indexOf('\n');
  const [head, tail] = [yaml.slice(0, headEnd), yaml.slice(headEnd)];

  // Comments before the value: that on the key's line, and lines of their own.
  const comments = entry.leaves.filter(({ type, start }) => type === 'comment' && start >= colonEnd);
  const valueStart = firstValueLeaf(entry, colonEnd);
  const before = comments.filter(({ start }) => start < valueStart);
  const keyLineEnd = lineEndAt(source, colonEnd);
  let onKeyLine = '';
  let ownLines = '';
  for (const { start, end: commentEnd } of before) {
    if (start < keyLineEnd) onKeyLine = ` ${source.slice(start, commentEnd)}`;
    // Above a block they would be part of it, or hide that they belonged to the older value.
    else if (tail === '') ownLines += source.slice(source.lastIndexOf('\n', start), commentEnd);
  }

  // The comment behind the last item of a block list is the item's.
  const behind = commentBehind(source, end);
  const isBlock = entry.value?.type === 'block-map' || entry.value?.type === 'block-seq';
  const kept = isBlock || behind === '' ? '' : behind;
  const comment = onKeyLine === '' ? kept : onKeyLine;
  const last = onKeyLine !== '' && kept !== '' ? kept.trimStart() : '';
  const text = afterColon(head + comment + (last === '' ? '' : ` ${last}`) + ownLines + tail, head === '');
  return { start: colonEnd, end: end + behind.length, text };
}

/** Where the value begins, without its anchor or tag and the head of a block; behind everything where there is none. */
function firstValueLeaf({ leaves, end, value }: YamlEntry, colonEnd: number): number {
  const isHead = (type: string) => type === 'block-scalar-header' || type === 'anchor' || type === 'tag';
  const first = leaves.find(
    ({ type, start, end: leafEnd }) =>
      start >= colonEnd && leafEnd > start && !BLANK_TYPES.has(type) && !isHead(type),
  );
  return value === undefined || value === null
    ? Math.max(end, colonEnd)
    : (first?.start ?? Math.max(end, colonEnd));
}

function lineEndAt(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

/** Replaces, removes and adds entries of `{a: 1, b: 2}`, in which no block can stand. */
function editFlow(source: string, map: CST.FlowCollection, changes: FrontMatterChanges): string {
  const entries = entriesOf(map.items);
  const { present, added } = assign(entries, changes);
  const values = new Map(present.map(({ entry, value }) => [entry, value]));
  const pieces = entries.map((entry) => {
    const { start, end, colonEnd } = entry;
    if (!values.has(entry)) return { start, end, text: source.slice(start, end) };
    const value = values.get(entry);
    if (value === undefined) return { start, end, text: undefined };
    const key = colonEnd === undefined ? `${source.slice(start, end)}:` : source.slice(start, colonEnd);
    return { start, end, text: `${key} ${flowValue(value)}` };
  });
  const newEntries = added.map(([key, value]) => `${keyText(key)}: ${flowValue(value)}`);
  const open = map.start.offset + 1;
  const list = editList(source, pieces, newEntries, ', ');
  const [start, end] = pieces.length === 0 ? [open, open] : [list.start, list.end];
  // A comma may stand before the brace, unless nothing or another one does before the comma.
  const rest =
    list.isEmpty || list.hasComma
      ? source.slice(end).replace(/^((?:\s|#[^\n]*\n)*),/, '$1')
      : source.slice(end);
  return source.slice(0, start) + list.text + rest;
}

// Those that YAML 1.1 takes for something else than texts are quoted.
const PLAIN_KEY = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][\w-]*$/i;

function keyText(key: string): string {
  return PLAIN_KEY.test(key) ? key : quoted(key);
}

function afterColon(yaml: string, isBelow = yaml.startsWith('\n')): string {
  return isBelow ? yaml : ` ${yaml}`;
}

/** From this length on, a text is easier to read and to compare line by line in a block than with its quotes escaped. */
const LONG = 200;

/** A value as it stands behind a key; a map begins with a line end. */
function blockValue(value: FrontMatterValue, indent: string): string {
  if (typeof value === 'string')
    return value.length > LONG || value.includes('\n')
      ? literal(value).replace(/\n(?!\n)/g, `\n${indent}`)
      : quoted(value);
  if (!isMap(value) || Object.keys(value).length === 0) return flowValue(value);
  const inner = `${indent}  `;
  return Object.entries(value)
    .map(([key, child]) => `\n${inner}${keyText(key)}:${afterColon(blockValue(child, inner))}`)
    .join('');
}

/** A value on one line. */
function flowValue(value: FrontMatterValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return yamlNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isTimestamp(value)) return value.text;
  if (isList(value)) return `[${value.map(flowValue).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, child]) => `${keyText(key)}: ${flowValue(child)}`)
    .join(', ')}}`;
}

function yamlNumber(value: number): string {
  if (Number.isFinite(value)) return numberText(value);
  return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
}

function unreadable(reason: string): PressmarkError {
  return new PressmarkError(
    'ARTICLE_UNREADABLE',
    `the article's front matter cannot be rewritten, ${reason}; write it more plainly`,
  );
}
