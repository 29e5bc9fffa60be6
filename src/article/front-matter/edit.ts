import { isDeepStrictEqual } from 'node:util';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type { FrontMatterValue, Timestamp } from '../format/mapping.js';
import { tomlLibrary } from './libraries.js';
import { type AnyFrontMatter, cutFrontMatter, dateText, readFrontMatter } from './read.js';
import { type FrontMatterChanges, plainValue } from './value.js';
import { editYaml } from './yaml-edit.js';
import { yamlEntry } from './yaml-text.js';

/** One change of a top-level key. */
export interface FrontMatterChange {
  readonly key: string;
  /** Undefined removes the key with its value and the comment after it. */
  readonly value: FrontMatterValue | undefined;
}

/**
 * Changes keys of a file's front matter in its format, and replaces the body if one is given. Existing keys keep their place,
 * new ones are appended in the given order. In YAML, everything else stays unchanged: other keys, comments, quotes,
 * indentation, blank lines. TOML, JSON and YAML such as `{a: 1}` are rewritten if a value changes: keys keep their values and
 * their order; such YAML gets a line per key. If the file's lines end with CRLF, new lines do too, including those of the body.
 * A file without front matter gets YAML.
 *
 * @param text the whole file.
 * @throws PressmarkError ARTICLE_UNREADABLE if the result would not read back as intended; FRONT_MATTER_INVALID and
 *   FRONT_MATTER_UNSUPPORTED if the file cannot be read, as in `readFrontMatter`.
 */
export function editFrontMatter(text: string, changes: readonly FrontMatterChange[], body?: string): string {
  const before = readFrontMatter(text);
  const changed = new Map(changes.map(({ key, value }) => [key, value]));
  // An unchanged value keeps its spelling.
  for (const [key, value] of changed) if (isAlready(before.data, key, value)) changed.delete(key);

  const lineEnd = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const edited = write(text, changed, body === undefined ? undefined : withLineEnd(body, lineEnd), lineEnd);
  requireFaithful(edited, before, changed, body);
  return edited;
}

/** Makes the text of a new file, with YAML front matter. */
export function newFrontMatter(entries: readonly FrontMatterChange[], body: string): string {
  const lines = entries.flatMap(({ key, value }) => (value === undefined ? [] : [yamlEntry(key, value)]));
  return `---\n${lines.join('')}---\n${body}`;
}

function write(text: string, changes: FrontMatterChanges, body: string | undefined, lineEnd: string): string {
  const { form, start, end, body: bodyStart } = cutFrontMatter(text);
  if (form === 'none') {
    const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
    const below = body ?? text.slice(bom.length);
    const front = withLineEnd(editYaml('', changes), lineEnd);
    return front === '' ? bom + below : `${bom}---${lineEnd}${front}---${lineEnd}${below}`;
  }
  const source = text.slice(start, end);
  const front = changes.size === 0 ? source : EDITORS[form](source, changes, lineEnd);
  const kept = preciseValues(front);
  const rounded = form === 'yaml' ? undefined : preciseValues(source).find((value) => !kept.includes(value));
  if (rounded !== undefined) throw unreadable(`${rounded} would be rounded`);
  let closing = text.slice(end, bodyStart);
  if (body !== undefined && body !== '' && !closing.endsWith('\n')) closing += lineEnd;
  return text.slice(0, start) + front + closing + (body ?? text.slice(bodyStart));
}

/** Texts and comments of TOML and JSON. */
const NO_VALUES = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/** The integers and times of day with more digits than JavaScript can represent. */
function preciseValues(source: string): string[] {
  const values = source.replace(NO_VALUES, '').match(/(?<![.\d])\d{16,}(?![.\de])|:\d\d\.\d{4,}/g) ?? [];
  return values.filter((value) => String(Number(value)) !== value);
}

const EDITORS = { yaml: editYaml, toml: editToml, json: editJson, 'json-fenced': editJson };

/** Rewrites TOML: comments are lost, the order of keys stays. */
function editToml(source: string, changes: FrontMatterChanges, lineEnd: string): string {
  const { parse, stringify } = tomlLibrary();
  // As bigint, integers stay apart from floats: 1.0 is not written as 1.
  const data = changedMap(parse(source, { integersAsBigInt: true }), changes, tomlScalar);
  return withLineEnd(stringify(data, { numbersAsFloat: true }), lineEnd);
}

function tomlScalar(value: Timestamp | number): unknown {
  if (typeof value !== 'number') return tomlDate(value.text);
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A date in TOML, without quotes; a text if TOML has no such date. */
function tomlDate(text: string): unknown {
  const { parse } = tomlLibrary();
  try {
    return parse(`date = ${text}`).date;
  } catch {
    return text;
  }
}

/** A scalar as it is read from TOML. */
function tomlScalarText(value: Timestamp | number): unknown {
  const date = typeof value === 'number' ? value : tomlDate(value.text);
  return date instanceof Date ? dateText(date) : date;
}

/** Rewrites JSON, which has no comments to lose. */
function editJson(source: string, changes: FrontMatterChanges, lineEnd: string): string {
  const indent = source.includes('\n') ? (/\n([ \t]+)/.exec(source)?.[1] ?? '  ') : '';
  const text = JSON.stringify(changedMap(JSON.parse(source), changes), null, indent);
  return withLineEnd(source.endsWith('\n') ? `${text}\n` : text, lineEnd);
}

function changedMap(
  data: object,
  changes: FrontMatterChanges,
  scalar?: (value: Timestamp | number) => unknown,
): Record<string, unknown> {
  const map = new Map<string, unknown>(Object.entries(data));
  for (const [key, value] of changes) {
    if (value === undefined) map.delete(key);
    else map.set(key, plainValue(value, scalar));
  }
  return Object.fromEntries(map);
}

/**
 * Checks that the result reads back as intended. People write front matter in unforeseeable ways; a result that differs is not
 * written.
 */
function requireFaithful(
  edited: string,
  before: AnyFrontMatter,
  changes: FrontMatterChanges,
  body: string | undefined,
): void {
  let after: AnyFrontMatter;
  try {
    after = readFrontMatter(edited);
  } catch (cause) {
    throw unreadable(messageOf(cause), cause);
  }
  const expected = new Map(Object.entries(before.data));
  for (const [key, value] of changes) {
    if (value === undefined) expected.delete(key);
    else expected.set(key, plainValue(value, after.form === 'toml' ? tomlScalarText : undefined));
  }
  const found = new Map(Object.entries(after.data));
  for (const key of new Set([...expected.keys(), ...found.keys()]))
    if (!isDeepStrictEqual(found.get(key), expected.get(key)) || found.has(key) !== expected.has(key))
      throw unreadable(`${quote(key)} would not read back as intended`);
  const compared = (text: string) => text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (compared(after.body) !== compared(body ?? before.body))
    throw unreadable('the body would not read back as intended');
}

function isAlready(data: AnyFrontMatter['data'], key: string, value: FrontMatterValue | undefined): boolean {
  const present = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) return !Object.hasOwn(data, key);
  return isDeepStrictEqual(present, plainValue(value));
}

function withLineEnd(text: string, lineEnd: string): string {
  return lineEnd === '\n' ? text : text.replace(/\r?\n/g, lineEnd);
}

function unreadable(reason: string, cause?: unknown): PressmarkError {
  const message = `the article’s front matter cannot be rewritten: ${reason}; write it as plain keys and values`;
  return new PressmarkError('ARTICLE_UNREADABLE', message, { cause });
}
