import type { FrontMatterValue } from '../format/mapping.js';
import { isList, isMap, isTimestamp } from './value.js';

// The YAML that Pressmark writes is read in the same way by readers of YAML 1.1 and 1.2: every string is in double quotes or a
// literal block.

// Characters that JSON does not escape. YAML readers refuse them, or (U+0085, U+2028, U+2029) break lines at them.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A string as a double-quoted YAML scalar on one line, which every YAML reader reads back unchanged. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    UNPRINTABLE,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// Text that a literal block would lose or change: control characters and other line ends, a first line that is blank or
// indented, …
const NOT_IN_LITERAL = /^\s|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

// … and more than one line end at the end.
const LITERAL_END = /^(?:[^\S\n]*\n)?$/;

/** The number of lines above which a text is quoted: line-wise diffs are useless then, and reading and writing take long. */
const MANY_LINES = 20_000;

/** Whether a literal block preserves a text. */
function fitsLiteral(text: string): boolean {
  const end = text.slice(text.trimEnd().length);
  const lines = text.split('\n').length;
  return text !== '' && !NOT_IN_LITERAL.test(text) && LITERAL_END.test(end) && lines <= MANY_LINES;
}

/** A long text as a literal block, for readability and line-wise diffs, if the block preserves it; otherwise quoted. */
export function literal(text: string, indent = '  '): string {
  if (!fitsLiteral(text)) return quoted(text);
  const [header, block] = text.endsWith('\n') ? ['|', text.slice(0, -1)] : ['|-', text];
  // Empty lines are not indented.
  return `${header}\n${indent}${block.replace(/\n(?!\n)/g, `\n${indent}`)}`;
}

/** The length from which a block is more readable than a quoted text, in characters. */
const LONG = 200;

/** A key with its value, which may have further lines; each line is terminated. */
export function yamlEntry(key: string, value: FrontMatterValue, indent = ''): string {
  return `${indent}${keyText(key)}:${valueText(value, indent)}\n`;
}

/** The text after a key's colon: a blank and the value, or the lines of a map. */
export function valueText(value: FrontMatterValue, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value === 'string' && (value.length > LONG || value.includes('\n')))
    return ` ${literal(value, inner)}`;
  if (!isMap(value) || Object.keys(value).length === 0) return ` ${flowValue(value)}`;
  const entries = Object.entries(value).map(([key, child]) => yamlEntry(key, child, inner).slice(0, -1));
  return ['', ...entries].join('\n');
}

// Keys that YAML 1.1 does not read as text are quoted.
const PLAIN_KEY = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][\w-]*$/i;

function keyText(key: string): string {
  return PLAIN_KEY.test(key) ? key : quoted(key);
}

/** A value on one line. */
export function flowValue(value: FrontMatterValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return yamlNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isTimestamp(value)) return value.text;
  if (isList(value)) return `[${value.map(flowValue).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, child]) => `${keyText(key)}: ${flowValue(child)}`)
    .join(', ')}}`;
}

/** A number that YAML 1.1 and 1.2 read alike: YAML 1.1 requires a fraction before an exponent. */
function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return String(value === 0 ? 0 : value).replace(/^(-?\d+)e/, '$1.0e');
}
