/** A key of a JSON object with its value, as offsets. */
export interface JsonEntry {
  readonly key: string;
  /** Of the key's opening quote. */
  readonly start: number;
  /** Behind the key's closing quote. */
  readonly keyEnd: number;
  readonly valueStart: number;
  /** Behind the value. */
  readonly end: number;
}

/**
 * The keys of an object that `JSON.parse` accepts, in their order, with those that stand twice.
 *
 * @param source nothing but the object and white space around it.
 */
export function jsonEntries(source: string): JsonEntry[] {
  const entries: JsonEntry[] = [];
  let at = pastSpace(source, pastSpace(source, 0) + 1);
  while (source.charAt(at) === '"') {
    const keyEnd = stringEnd(source, at);
    const valueStart = pastSpace(source, pastSpace(source, keyEnd) + 1);
    const end = valueEnd(source, valueStart);
    entries.push({ key: String(JSON.parse(source.slice(at, keyEnd))), start: at, keyEnd, valueStart, end });
    at = pastSpace(source, end);
    if (source.charAt(at) === ',') at = pastSpace(source, at + 1);
  }
  return entries;
}

/** The offset behind the object that begins at `start`; undefined where its last brace is missing. */
export function jsonEnd(text: string, start: number): number | undefined {
  const mark = /["{}]/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] === '"') mark.lastIndex = stringEnd(text, match.index);
    else if (match[0] === '{') depth++;
    else if (--depth === 0) return mark.lastIndex;
  }
  return undefined;
}

function valueEnd(source: string, start: number): number {
  const first = source.charAt(start);
  if (first === '"') return stringEnd(source, start);
  const mark = first === '{' || first === '[' ? /["{}[\]]/g : /(?=[\s,}])/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(source); match !== null; match = mark.exec(source)) {
    if (match[0] === '') return match.index;
    if (match[0] === '"') mark.lastIndex = stringEnd(source, match.index);
    else if (match[0] === '{' || match[0] === '[') depth++;
    else if (--depth === 0) return mark.lastIndex;
  }
  return source.length;
}

/** Behind the closing quote; the end of the text where there is none. */
function stringEnd(text: string, start: number): number {
  const mark = /\\|"/g;
  mark.lastIndex = start + 1;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] === '"') return mark.lastIndex;
    mark.lastIndex++;
  }
  return text.length;
}

function pastSpace(source: string, at: number): number {
  const space = /[ \t\r\n]*/y;
  space.lastIndex = at;
  space.test(source);
  return space.lastIndex;
}
