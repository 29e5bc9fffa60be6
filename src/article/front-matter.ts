import { createRequire } from 'node:module';
import type grayMatter from 'gray-matter';
import yaml from 'js-yaml';
import { messageOf, PressmarkError, quote } from '../errors.js';

/** A Markdown file cut in two. */
export interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>;
  /** What stands below the closing fence, to the byte. */
  readonly body: string;
  /** Whether `readOwnTop` has all but the long blocks. @default false */
  readonly isTopFirst?: boolean;
}

const require = createRequire(import.meta.url);

/** Loaded when a file needs it: Pressmark's own form does not, and every command and thread would wait for it. */
const matter = (): typeof grayMatter => require('gray-matter');

/**
 * gray-matter with one YAML engine. Its own would turn dates into Date objects, and its `---js` engine
 * evaluates the file; each language it knows is replaced by a refusal, and `split` refuses the rest.
 */
const OPTIONS = {
  language: 'yaml',
  delimiters: '---',
  engines: {
    yaml: { parse: parseYaml, stringify: refuse },
    json: { parse: refuse, stringify: refuse },
    javascript: { parse: refuse, stringify: refuse },
  },
};

/**
 * Splits a Markdown file into front matter and body and reads the front matter as YAML 1.2 core.
 *
 * @param text the whole file.
 * @throws PressmarkError FRONT_MATTER_INVALID, its message starting with `line <n>: `.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const first = /^\ufeff?---[ \t]*\r?\n/.exec(text);
  if (first === null) {
    throw invalid(
      1,
      text.startsWith('---')
        ? 'only a plain --- opens front matter'
        : 'there is no front matter; the file must start with ---',
    );
  }
  if (text.indexOf('\n---', first[0].length - 1) === -1)
    throw invalid(1, 'the front matter is never closed; end it with a line ---');
  // Options are always passed: without them gray-matter caches, and a malformed file parses as {} the second time.
  const { data, content } = matter()(text, OPTIONS);
  return { data, body: content };
}

function parseYaml(source: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = yaml.load(source, { schema: yaml.CORE_SCHEMA });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    // gray-matter hands the text from the end of the opening fence on, so the parser's line 0 is the file's line 1.
    throw invalid((error.mark?.line ?? 0) + 1, error.reason, error);
  }
  if (data === null || data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data))
    throw invalid(2, 'the front matter must be a map of keys and values');
  refuseAliases(data, new Set());
  return data as Record<string, unknown>;
}

/** An object met twice was an alias; copies of aliases can grow without bound, so there are none. */
function refuseAliases(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null) return;
  if (seen.has(value)) throw invalid(1, 'YAML aliases (*name) are not read; write the value out');
  seen.add(value);
  for (const child of Object.values(value)) refuseAliases(child, seen);
}

function refuse(): never {
  throw invalid(1, 'only YAML front matter is read');
}

function invalid(line: number, reason: string, cause?: unknown): PressmarkError {
  return new PressmarkError('FRONT_MATTER_INVALID', `line ${line}: ${reason}`, { cause });
}

/** A front-matter value as text; numbers and booleans that a person left unquoted are taken as they read. */
export function textOf(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') throw invalid(1, `${quote(key)} must be a text, not a list or a map`);
  return String(value);
}

/** A front-matter value as a list of texts; a single text is a list of one. */
export function listOf(data: Readonly<Record<string, unknown>>, key: string): string[] {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (typeof item === 'object' && item !== null) throw invalid(1, `${quote(key)} must be a list of texts`);
    return String(item);
  });
}

/** The parser's words for a file that cannot be read, for logs: always one line. */
export function reasonOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
