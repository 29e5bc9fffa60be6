/** What a YAML reader would have to say something about: line ends but LF, characters that YAML refuses. */
const ODD = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;

/** Keys that mean the same to all YAML readers, but for the words below. */
const PLAIN_KEY = /^[a-z][\w-]{0,99}$/i;
const YAML_WORD = /^(?:true|false|null)$/i;

/** A date without quotes, which is a text in YAML 1.2. */
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?)?$/;

/** How far lines are indented in a map or a block within the front matter. */
const NESTED = 2;

/** The end of the last line of a literal block. One pattern is faster than a look at each line. */
const BLOCK_END = /\n(?! {2}|\n)/g;
const NESTED_BLOCK_END = /\n(?! {4}|\n)/g;

/**
 * The quick way to read YAML in the very form in which Pressmark writes it: each value a JSON string, a list of them, a
 * literal block, a number, a date, true, false or null, or a map of such. A full YAML reader takes several times as long, which counts
 * where 100,000 files are read, and where one has a megabyte. It gives exactly what that gives, or nothing.
 *
 * @param source whole lines.
 * @returns undefined for anything else, whatever a person has made of it; a full reader must be asked.
 */
export function readOwnYaml(source: string): Record<string, unknown> | undefined {
  if (ODD.test(source) || !source.isWellFormed()) return undefined;
  const map = readMap(source, 0, 0);
  return map?.end === source.length ? map.data : undefined;
}

function isPlainKey(key: string): boolean {
  return PLAIN_KEY.test(key) && !YAML_WORD.test(key);
}

/** The map that begins at an offset; it ends before the first line that is indented less. */
function readMap(
  source: string,
  start: number,
  indent: number,
): { readonly data: Record<string, unknown>; readonly end: number } | undefined {
  const data: Record<string, unknown> = {};
  let at = start;
  while (at < source.length && isIndented(source, at, indent)) {
    const lineEnd = source.indexOf('\n', at);
    const colon = source.indexOf(':', at);
    const key = source.slice(at + indent, colon);
    if (lineEnd === -1 || colon === -1 || !isPlainKey(key) || Object.hasOwn(data, key)) return undefined;
    const read = readValue(source, colon + 1, lineEnd, indent);
    if (read === undefined) return undefined;
    data[key] = read.value;
    at = read.end;
  }
  return { data, end: at };
}

/** The value behind a colon, which may go on below its line. */
function readValue(
  source: string,
  start: number,
  lineEnd: number,
  indent: number,
): { readonly value: unknown; readonly end: number } | undefined {
  if (start === lineEnd) {
    const map = indent === 0 ? readMap(source, lineEnd + 1, NESTED) : undefined;
    return map === undefined || map.end === lineEnd + 1 ? undefined : { value: map.data, end: map.end };
  }
  if (source.charCodeAt(start) !== SPACE) return undefined;
  if (source.charAt(start + 1) === '|') return literalBlock(source, start + 1, lineEnd, indent + NESTED);
  const value = valueOn(source.slice(start + 1, lineEnd));
  return value === undefined ? undefined : { value, end: lineEnd + 1 };
}

/** A number that every YAML reader writes back as it stands. */
const NUMBER = /^(?:0|-?[1-9]\d{0,14})(?:\.\d{1,6})?$/;

/** A JSON string, a list of such, a number, a date, true, false or null, all of which mean the same in YAML. */
function valueOn(line: string): string | string[] | number | boolean | null | undefined {
  const first = line.charAt(0);
  if (first !== '"' && first !== '[') {
    if (line === 'true' || line === 'false') return line === 'true';
    if (line === 'null') return null;
    if (NUMBER.test(line)) return Number(line);
    return DATE.test(line) ? line : undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // YAML knows more than JSON
  }
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** A literal block that is indented by so many spaces and neither begins nor ends with an empty line. */
function literalBlock(
  source: string,
  start: number,
  lineEnd: number,
  indent: number,
): { readonly value: string; readonly end: number } | undefined {
  const header = source.slice(start, lineEnd);
  if (header !== '|' && header !== '|-') return undefined;
  const textStart = lineEnd + 1 + indent;
  const first = source.charCodeAt(textStart);
  if (!isIndented(source, lineEnd + 1, indent) || first === SPACE || first === TAB || first === LF)
    return undefined;
  const blockEnd = indent === NESTED ? BLOCK_END : NESTED_BLOCK_END;
  blockEnd.lastIndex = textStart;
  const end = blockEnd.exec(source)?.index;
  if (end === undefined) return undefined;
  if (end - source.lastIndexOf('\n', end - 1) < indent + 2) return undefined; // the last line is an empty one
  // Where there are very many lines, replacing takes three times as long.
  const block = source
    .slice(textStart, end)
    .split(`\n${' '.repeat(indent)}`)
    .join('\n');
  return { value: header === '|' ? `${block}\n` : block, end: end + 1 };
}

function isIndented(source: string, lineStart: number, indent: number): boolean {
  for (let at = lineStart; at < lineStart + indent; at++) if (source.charCodeAt(at) !== SPACE) return false;
  return true;
}
