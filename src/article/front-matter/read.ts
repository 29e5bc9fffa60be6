import { messageOf, PressmarkError, quote } from '../../errors.js';
import { frontMatterLibrary, readingYaml, tomlLibrary } from './libraries.js';

/**
 * The format of front matter: YAML between `---`, TOML between `+++`, a JSON object at the very beginning (Hugo), JSON between
 * `---json` and `---` (Eleventy), or none.
 */
export type FrontMatterForm = 'yaml' | 'toml' | 'json' | 'json-fenced' | 'none';

/** A file with front matter in any format. */
export interface AnyFrontMatter {
  readonly form: FrontMatterForm;
  readonly data: Readonly<Record<string, unknown>>;
  /** The unchanged text below the front matter. */
  readonly body: string;
}

/** The offsets of a file's parts. */
export interface FrontMatterCut {
  readonly form: FrontMatterForm;
  /** The start of the front matter's own text, after the opening fence if there is one. */
  readonly start: number;
  readonly end: number;
  /** The start of the text below the front matter. */
  readonly body: number;
}

/**
 * The options of gray-matter. `parseYaml` replaces its YAML engine, which would turn dates into Date objects. Its `---js`
 * engine would evaluate the file; each other language that it knows is refused.
 */
const OPTIONS = {
  language: 'yaml',
  delimiters: '---',
  engines: {
    // gray-matter passes the text from the end of the opening fence to the last line end, without that one, so the parser's
    // line 0 is the file's line 1.
    yaml: { parse: (source: string) => parseYaml(`${source}\n`, 1), stringify: refuse },
    json: { parse: refuse, stringify: refuse },
    javascript: { parse: refuse, stringify: refuse },
  },
};

/** Longer YAML is parsed without gray-matter, in characters. */
const LONGEST_FOR_MATTER = 2_000;

function refuse(): never {
  throw invalid(1, 'only YAML front matter is read');
}

/**
 * Reads a file with front matter in any format. Dates are unchanged texts, or ISO 8601 texts in TOML. A file without front
 * matter is `none`, with no data and the whole text as its body. If a YAML key occurs twice, the last value counts, as in Hugo
 * and Jekyll; an edit refuses such a file.
 *
 * @param text the whole file.
 * @throws PressmarkError FRONT_MATTER_INVALID if it is malformed, the message starting with `line <n>: `;
 *   FRONT_MATTER_UNSUPPORTED for `---js` and every other language, none of which is ever evaluated.
 */
export function readFrontMatter(text: string): AnyFrontMatter {
  const cut = cutFrontMatter(text);
  return { form: cut.form, data: parse(text, cut), body: text.slice(cut.body) };
}

/**
 * Finds the front matter of a file, without reading it.
 *
 * @throws PressmarkError like `readFrontMatter`.
 */
export function cutFrontMatter(text: string): FrontMatterCut {
  const first = text.startsWith('\ufeff') ? 1 : 0;
  switch (text.charAt(first)) {
    case '-':
    case '+':
      return cutFenced(text, first);
    case '{':
      // Not a template tag, a shortcode or an attribute list, which may begin a body.
      return /^\{\s*["}]/.test(text.slice(first, first + 1_000)) ? cutJson(text, first) : NONE;
    default:
      refuseLateFence(text);
      return NONE;
  }
}

const NONE: FrontMatterCut = { form: 'none', start: 0, end: 0, body: 0 };

/** The end of YAML. Dots end the document too, as in Jekyll. */
const YAML_END = /(?<=\n)(?:---|\.{3}(?=[ \t]*(?:\r?\n|$)))/g;

const OPENING_FENCE = /(---|\+\+\+)[ \t]*([^\s-][^\r\n]*)?(?:\r?\n|$)/y;

/** A fence that only some programs accept: with a no-break space after it, or with a CR line end. */
const ODD_FENCE = /(---|\+\+\+)[^\S\r\n]*[\r\n]/y;

function cutFenced(text: string, first: number): FrontMatterCut {
  OPENING_FENCE.lastIndex = first;
  const [opening, fence, behind] = OPENING_FENCE.exec(text) ?? [];
  const language = behind?.trimEnd();
  if (opening === undefined || fence === undefined) {
    ODD_FENCE.lastIndex = first;
    const [, odd] = ODD_FENCE.exec(text) ?? [];
    if (odd === undefined) return NONE;
    throw invalid(1, `the line that opens the front matter must be ${odd} alone, and end with LF or CRLF`);
  }
  if (fence === '+++' && language !== undefined) return NONE;
  if (language !== undefined && language !== 'json') {
    const message = `front matter in ${quote(language)} is not read, and never evaluated; write it in YAML below a plain ---`;
    throw new PressmarkError('FRONT_MATTER_UNSUPPORTED', message);
  }
  const start = first + opening.length;
  const closing = fence === '+++' ? /(?<=\n)\+\+\+/g : YAML_END;
  closing.lastIndex = start;
  const end = closing.exec(text)?.index;
  if (end === undefined || !opening.endsWith('\n'))
    throw invalid(1, `the front matter is never closed; end it with a line ${fence}`);
  const rest = /[ \t]*(\r?\n|$)/y;
  rest.lastIndex = end + fence.length;
  // Some generators end the front matter here, others do not.
  if (!rest.test(text))
    throw invalid(lineAt(text, end), `the line that closes the front matter must be ${fence} alone`);
  const form = fence === '+++' ? 'toml' : language === undefined ? 'yaml' : 'json-fenced';
  return { form, start, end, body: rest.lastIndex };
}

function cutJson(text: string, start: number): FrontMatterCut {
  const end = jsonEnd(text, start);
  if (end === undefined) throw invalid(1, 'the JSON front matter is never closed; end it with }');
  const lineEnd = /\r?\n/y;
  lineEnd.lastIndex = end;
  return { form: 'json', start, end, body: lineEnd.test(text) ? lineEnd.lastIndex : end };
}

/** The offset after the object that begins at an offset; undefined if it has no end. */
function jsonEnd(text: string, start: number): number | undefined {
  const mark = /["{}]/g;
  const inString = /\\|"/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] === '{') depth++;
    else if (match[0] === '}') {
      if (--depth === 0) return mark.lastIndex;
    } else {
      inString.lastIndex = mark.lastIndex;
      let end = inString.exec(text);
      for (; end?.[0] === '\\'; end = inString.exec(text)) inString.lastIndex++;
      if (end === null) return undefined;
      mark.lastIndex = inString.lastIndex;
    }
  }
  return undefined;
}

/** Refuses front matter below blank lines, which only Hugo reads. */
function refuseLateFence(text: string): void {
  const [blank, fence] = /^\ufeff?\s+(?=(---|\+\+\+)[ \t]*\r?\n)/.exec(text) ?? [];
  if (blank === undefined || !text.includes(`\n${fence}`, blank.length)) return;
  throw invalid(lineAt(text, blank.length), 'front matter must start at the very beginning of the file');
}

function parse(text: string, { form, start, end, body }: FrontMatterCut): Readonly<Record<string, unknown>> {
  const source = text.slice(start, end);
  switch (form) {
    case 'yaml':
      // gray-matter scans the text several times, and searches for comments between blank lines repeatedly.
      if (source.length > LONGEST_FOR_MATTER) return parseYaml(source, 2);
      // Options are always passed: without them gray-matter caches, and a malformed file parses as {} the second time.
      return frontMatterLibrary()(text.slice(0, body), OPTIONS).data;
    case 'toml':
      return parseToml(source);
    case 'json':
      return parseJson(source, 1);
    case 'json-fenced':
      return parseJson(source, 2);
    case 'none':
      return {};
  }
}

/** @param line the file's line with which the source begins. */
function parseYaml(source: string, line: number): Record<string, unknown> {
  const yaml = readingYaml();
  let data: unknown;
  try {
    data = yaml.load(source, { schema: yaml.CORE_SCHEMA, json: true });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw invalid((error.mark?.line ?? 0) + line, error.reason, error);
  }
  if (data === null || data === undefined) return {};
  requireMap(data);
  refuseAliases(data, new Set());
  return data;
}

/** Refuses aliases: an object that is met twice. Expanded aliases can grow without bound. */
function refuseAliases(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null) return;
  if (seen.has(value)) throw invalid(1, 'YAML aliases (*name) are not read; write the value out');
  seen.add(value);
  for (const child of Object.values(value)) refuseAliases(child, seen);
}

function parseToml(source: string): Record<string, unknown> {
  const { parse, TomlError } = tomlLibrary();
  try {
    return plainTable(parse(source, { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    throw invalid(error.line + 1, reason, error);
  }
}

/** A TOML date as text, without a zero fraction. */
export function dateText(date: Date): string {
  return date.toISOString().replace('.000', '');
}

/** Converts tables to ordinary objects, dates to texts and integers of any size to numbers, as in the other formats. */
function plainTable(table: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return dateText(value);
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? plainTable(value) : value;
}

/** @param line the file's line with which the source begins. */
function parseJson(source: string, line: number): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Not every message contains a position; then the first line is reported.
    const [, position] = / at position (\d+)/.exec(error.message) ?? [];
    const at = position === undefined ? 0 : Number(position);
    throw invalid(
      line + lineAt(source, at) - 1,
      `the front matter is not valid JSON: ${reasonOf(error)}`,
      error,
    );
  }
  requireMap(data);
  if (isDeeper(data, 100)) throw invalid(line, 'the front matter is nested more than 100 times');
  return data;
}

/**
 * Whether data are nested too deeply: they would overflow the stack of functions that walk them. The libraries for YAML and
 * TOML refuse them.
 */
function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((child) => isDeeper(child, than - 1));
}

function requireMap(data: unknown): asserts data is Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw invalid(2, 'the front matter must be a map of keys and values');
}

/** The line number of an offset, from 1. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The error for a file's front matter, with the line in the file. */
export function invalid(line: number, reason: string, cause?: unknown): PressmarkError {
  return new PressmarkError('FRONT_MATTER_INVALID', `line ${line}: ${reason}`, { cause });
}

/** The parser's message for an unreadable file, for logs: always one line. */
export function reasonOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
