/** What a YAML reader would have to say something about: line ends but LF, characters that YAML refuses. */
const ODD = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

/** A key, and what follows its colon on the line. YAML does not read the keys `true`, `false` and `null` as text. */
const ENTRY = /(?!(?:true|false|null):)([a-z][\w-]{0,99}):(?: (.+))?\n/iy;

/** The end of the lines that are indented, or empty. */
const BELOW_END = /\n(?! {2}|\n)/g;

/** Numbers, and what begins a string or a list, in the form that JSON and YAML read alike. */
const JSON_VALUE = /^(?:true|false|null|(?:0|-?[1-9]\d{0,14})(?:\.\d{1,6})?)$|^["[]/;

/** A date without quotes, which is a text in YAML 1.2. */
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads YAML in the form in which Pressmark writes it: each value is JSON on the line of its key, a date, a literal block, or a
 * map of such values. The YAML library takes four times as long, which is most of a second where 10,000 files are read.
 *
 * @param source whole lines.
 * @returns exactly what the library gives; undefined for any other form, which the library must read.
 */
export function readOwnYaml(source: string): Record<string, unknown> | undefined {
  const entries = ownEntries(source);
  return entries && dataOf(entries);
}

/** A key with its value, which ends before the line end at `end`. */
export interface OwnEntry {
  readonly key: string;
  readonly value: unknown;
  /** Offsets of the key and of what ends the entry. */
  readonly start: number;
  readonly end: number;
}

/** The entries of YAML in that form; undefined for any other. */
export function ownEntries(source: string): OwnEntry[] | undefined {
  return ODD.test(source) || !source.isWellFormed() ? undefined : entriesIn(source, true);
}

/** @param isTop whether values may be maps. */
function entriesIn(source: string, isTop: boolean): OwnEntry[] | undefined {
  const entries: OwnEntry[] = [];
  const keys = new Set<string>();
  for (let start = 0; start < source.length; ) {
    ENTRY.lastIndex = start;
    const [entry = '', key = '', line] = ENTRY.exec(source) ?? [];
    BELOW_END.lastIndex = start + entry.length - 1;
    const end = BELOW_END.exec(source)?.index;
    if (entry === '' || end === undefined || keys.has(key)) return undefined;
    const value = readValue(line, source.slice(start + entry.length, end + 1), isTop);
    if (value === undefined) return undefined;
    keys.add(key);
    entries.push({ key, value, start, end });
    start = end + 1;
  }
  return entries;
}

function dataOf(entries: readonly OwnEntry[]): Record<string, unknown> {
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

/** @param below the lines below that of the key which belong to its value. */
function readValue(line: string | undefined, below: string, isTop: boolean): unknown {
  if (below === '') return line === undefined ? undefined : onLine(line);
  if (!below.startsWith('  ')) return undefined; // an empty line
  // Where there are very many lines, replacing takes three times as long.
  const block = below.slice(2).split('\n  ').join('\n');
  if (line === undefined) {
    const entries = isTop ? entriesIn(block, false) : undefined;
    return entries && dataOf(entries);
  }
  // What a block begins or ends with may decide how much of it is text.
  if ((line !== '|' && line !== '|-') || /^\s/.test(block) || block.endsWith('\n\n')) return undefined;
  return line === '|' ? block : block.slice(0, -1);
}

function onLine(line: string): unknown {
  if (DATE.test(line)) return line;
  if (!JSON_VALUE.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return [value].flat().every((item) => item === value || typeof item === 'string') ? value : undefined;
  } catch {
    return undefined; // YAML knows more than JSON
  }
}
