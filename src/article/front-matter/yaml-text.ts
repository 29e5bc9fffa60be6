import { yamlLibrary } from './libraries.js';

/** The options of `yaml` with which YAML 1.1 and 1.2 readers agree on everything it writes. */
export const PORTABLE_YAML = {
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: 1e9,
} as const;

// JSON leaves these as they are; YAML readers refuse them, or (U+0085, U+2028, U+2029) break lines at them.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A string as a double-quoted YAML scalar on one line; every YAML reader gives the string back. */
export function quoted(text: string): string {
  return escapeUnprintable(JSON.stringify(text));
}

/** Whether a string can only stand in double quotes, its unprintable characters escaped. */
export function isUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) !== -1;
}

/** Escapes what YAML readers refuse. Only for YAML in which such characters can stand in double quotes alone. */
export function escapeUnprintable(yaml: string): string {
  return yaml.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// What a literal block would lose or a reader would take for something else: control characters and other
// line ends, …
const NOT_IN_LITERAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

// … a first line that is blank or indented, more than one line end at the end.
const LITERAL_END = /^(?:[^\S\n]*\n)?$/;

// Very long runs of white space are legal, but make gray-matter's search for comments slow; in a short text they do
// no harm, and looking for them would cost as much as everything else here.
const LONG_SPACE = /\s{200}/;
const MANY_LINES = 1_000;

/** Whether a text survives in a literal block. One pattern for all of it would take four times as long. */
function fitsLiteral(text: string): boolean {
  return (
    text !== '' &&
    !/^\s/.test(text) &&
    LITERAL_END.test(text.slice(text.trimEnd().length)) &&
    !NOT_IN_LITERAL.test(text) &&
    !(hasManyLines(text) && LONG_SPACE.test(text))
  );
}

function hasManyLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
    if (++lines > MANY_LINES) return true;
  return false;
}

/** A long text as a literal block where it survives in one, for people's eyes and line-wise diffs; else quoted. */
export function literal(text: string): string {
  if (!fitsLiteral(text)) return quoted(text);
  const [header, block] = text.endsWith('\n') ? ['|', text.slice(0, -1)] : ['|-', text];
  // Empty lines stay empty; without any, the plain replacement is three times as fast.
  const indented = block.includes('\n\n')
    ? block.replace(/\n(?!\n)/g, '\n  ')
    : block.replaceAll('\n', '\n  ');
  return `${header}\n  ${indented}`;
}

/** A list of strings on one line. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map(quoted).join(', ')}]`;
}

const SIMPLE_KEY = /^[A-Za-z_][\w-]*$/;

/** Further top-level keys, one after another, each line ended; empty where there are none. */
export function extraLines(extra: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(extra);
  if (keys.length === 0) return '';
  const defaultKeyType = keys.every((key) => SIMPLE_KEY.test(key)) ? 'PLAIN' : 'QUOTE_DOUBLE';
  return escapeUnprintable(
    yamlLibrary().stringify(extra, { ...PORTABLE_YAML, defaultKeyType, aliasDuplicateObjects: false }),
  );
}
