import type { FrontMatter } from './front-matter/read.js';

/** What `front-matter.ts` would have to say something about: line ends but LF, characters that YAML refuses. */
const ODD = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;

/**
 * The quick way to read a file that has the very form in which Pressmark writes one: every value a JSON string, a
 * list of them, or a literal block. A full YAML reader takes four times as long, which counts where 100,000 files
 * are read. It gives exactly what `splitFrontMatter` gives, or nothing.
 *
 * @param keys the keys that there may be.
 * @returns undefined for anything else, whatever a person has made of the file; `splitFrontMatter` must be asked.
 */
export function readOwnForm(text: string, keys: ReadonlySet<string>): FrontMatter | undefined {
  if (!text.startsWith('---\n')) return undefined;
  const end = text.indexOf('\n---', 3);
  if (end === -1 || (text.length > end + 4 && text.charCodeAt(end + 4) !== LF)) return undefined;
  const head = text.slice(4, end + 1);
  const data = readKeys(head, keys);
  return data && { data, body: text.slice(end + 5), isTopFirst: isTopFirst(Object.keys(data)) };
}

/** The first of the long blocks, which are last in the front matter. */
const FIRST_BLOCK = 'json_ld';

/**
 * Reads what stands above the long blocks of such a file, which is little and at its beginning.
 *
 * @param text the beginning of the file.
 * @returns undefined where it does not reach as far as that, and for any other form. The file may still be malformed
 *   below, or have more keys there: whoever reads it whole is told by `isTopFirst`.
 */
export function readOwnTop(text: string, keys: ReadonlySet<string>): FrontMatter['data'] | undefined {
  if (!text.startsWith('---\n')) return undefined;
  const end = text.indexOf(`\n${FIRST_BLOCK}: `);
  return end === -1 ? undefined : readKeys(text.slice(4, end + 1), keys);
}

/** Whether these keys are in the order in which Pressmark writes them, as far as it matters to `readOwnTop`. */
function isTopFirst(keys: readonly string[]): boolean {
  const first = keys.indexOf(FIRST_BLOCK);
  return first !== -1 && keys.slice(first + 1).every((key) => key === 'content_html');
}

/** The keys and values on a number of whole lines. */
function readKeys(head: string, keys: ReadonlySet<string>): Record<string, unknown> | undefined {
  if (ODD.test(head) || !head.isWellFormed()) return undefined;
  const data: Record<string, unknown> = {};
  for (let at = 0; at < head.length; ) {
    const colon = head.indexOf(': ', at);
    const key = head.slice(at, colon);
    if (colon === -1 || !keys.has(key) || Object.hasOwn(data, key)) return undefined;
    const start = colon + 2;
    const lineEnd = head.indexOf('\n', start);
    if (head.charAt(start) === '|') {
      const block = literalBlock(head, start, lineEnd);
      if (block === undefined) return undefined;
      data[key] = block.value;
      at = block.end;
    } else {
      const value = quotedValue(head.slice(start, lineEnd));
      if (value === undefined) return undefined;
      data[key] = value;
      at = lineEnd + 1;
    }
  }
  return data;
}

/** A JSON string or a list of such, which mean the same in YAML. */
function quotedValue(line: string): string | string[] | undefined {
  const first = line.charAt(0);
  if (first !== '"' && first !== '[') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // YAML knows more than JSON
  }
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** A literal block that is indented by two spaces and neither begins nor ends with an empty line. */
function literalBlock(
  head: string,
  start: number,
  lineEnd: number,
): { value: string; end: number } | undefined {
  const header = head.slice(start, lineEnd);
  if (header !== '|' && header !== '|-') return undefined;
  const first = head.charCodeAt(lineEnd + 3);
  if (!isIndented(head, lineEnd) || first === SPACE || first === TAB || first === LF) return undefined;
  let last = lineEnd;
  let end = lineEnd;
  do {
    last = end;
    end = head.indexOf('\n', last + 1);
    if (end === -1) return undefined;
  } while (isIndented(head, end) || head.charCodeAt(end + 1) === LF);
  if (end - last < 4) return undefined; // the last line is an empty one
  const block = head.slice(lineEnd + 3, end).replaceAll('\n  ', '\n');
  return { value: header === '|' ? `${block}\n` : block, end: end + 1 };
}

function isIndented(head: string, lineEnd: number): boolean {
  return head.charCodeAt(lineEnd + 1) === SPACE && head.charCodeAt(lineEnd + 2) === SPACE;
}
