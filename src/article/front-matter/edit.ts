import { isDeepStrictEqual } from 'node:util';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { withLf } from '../line-ends.js';
import type { FrontMatterValue } from '../mapping.js';
import { editJson } from './json-edit.js';
import { type AnyFrontMatter, cutFrontMatter, readFrontMatter, readFrontMatterStrictly } from './read.js';
import { editToml } from './toml-edit.js';
import { type FrontMatterChanges, isList, isTimestamp } from './value.js';
import { editYaml } from './yaml-edit.js';

/** One change of a top-level key. */
export interface FrontMatterChange {
  readonly key: string;
  /** Undefined removes the key with its value and the comment behind it. */
  readonly value: FrontMatterValue | undefined;
}

/**
 * Changes keys of a file's front matter, in the form it has, and replaces the body where one is given. A key that is
 * there keeps its place, a new one goes to the end, in the given order. Everything else stays byte for byte: other
 * keys, comments, quotes, indentation, blank lines, a BOM. A comment behind a value stays with the new one. Where the
 * file's lines end with CRLF, those that are written do, too, also those of the body. A file without front matter
 * gets YAML.
 *
 * @param text the whole file.
 * @throws PressmarkError ARTICLE_UNREADABLE where the result would not read back as intended; FRONT_MATTER_INVALID
 *   and FRONT_MATTER_UNSUPPORTED where the file cannot be read, as `readFrontMatter`.
 */
export function editFrontMatter(text: string, changes: readonly FrontMatterChange[], body?: string): string {
  const before = readFrontMatter(text);
  const changed = new Map(changes.map(({ key, value }) => [key, value]));
  // A value that is not to change keeps its spelling.
  for (const [key, value] of changed) if (isAlready(before.data, key, value)) changed.delete(key);

  const lineEnd = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const edited = write(text, changed, body === undefined ? undefined : withLineEnd(body, lineEnd), lineEnd);
  requireFaithful(edited, before, changed, body);
  return edited;
}

/**
 * The text of a new file, with YAML front matter.
 *
 * @throws PressmarkError ARTICLE_UNREADABLE where it would not read back as intended.
 */
export function newFrontMatter(entries: readonly FrontMatterChange[], body: string): string {
  const changed = new Map(entries.map(({ key, value }) => [key, value]));
  const text = `---\n${editYaml('', changed)}---\n${body}`;
  requireFaithful(text, { form: 'yaml', data: {}, body: '' }, changed, body);
  return text;
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
  let closing = text.slice(end, bodyStart);
  if (body !== undefined && body !== '' && !closing.endsWith('\n')) closing += lineEnd;
  return text.slice(0, start) + front + closing + (body ?? text.slice(bodyStart));
}

const EDITORS = { yaml: editYaml, toml: editToml, json: editJson, 'json-fenced': editJson };

/** A person can write front matter in more ways than we can foresee: what does not read back is not written. */
function requireFaithful(
  edited: string,
  before: AnyFrontMatter,
  changes: FrontMatterChanges,
  body: string | undefined,
): void {
  let after: AnyFrontMatter;
  try {
    after = readFrontMatterStrictly(edited);
  } catch (cause) {
    throw unreadable(messageOf(cause), cause);
  }
  const expected = new Map(Object.entries(before.data));
  for (const [key, value] of changes) {
    if (value === undefined) expected.delete(key);
    else expected.set(key, read(value));
  }
  const found = new Map(Object.entries(after.data));
  for (const key of new Set([...expected.keys(), ...found.keys()]))
    if (!isDeepStrictEqual(found.get(key), expected.get(key)) || found.has(key) !== expected.has(key))
      throw unreadable(`${quote(key)} would not read back as intended`);
  if (withLf(withoutBom(after.body)) !== withLf(withoutBom(body ?? before.body)))
    throw unreadable('the body would not read back as intended');
}

function isAlready(data: AnyFrontMatter['data'], key: string, value: FrontMatterValue | undefined): boolean {
  const present = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) return !Object.hasOwn(data, key);
  return isDeepStrictEqual(present, read(value));
}

/** A value as `readFrontMatter` gives it. */
function read(value: FrontMatterValue): unknown {
  if (isTimestamp(value)) return value.text;
  if (isList(value)) return value.map(read);
  // There is one zero in the text of some forms.
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, read(child)]));
}

function withLineEnd(text: string, lineEnd: string): string {
  return lineEnd === '\n' ? text : withLf(text).replaceAll('\n', lineEnd);
}

function withoutBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function unreadable(reason: string, cause?: unknown): PressmarkError {
  const message = `the article's front matter cannot be rewritten, ${reason}; write it more plainly`;
  return new PressmarkError('ARTICLE_UNREADABLE', message, { cause });
}
