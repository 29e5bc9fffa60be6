import yaml from 'js-yaml';
import { PressmarkError, quote } from '../../errors.js';

/** A Markdown file cut in two. */
export interface MarkdownFile {
  readonly data: Readonly<Record<string, unknown>>;
  /** What stands below the closing fence. */
  readonly body: string;
}

const FENCED = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/;

/** Whether a text begins as a file with front matter does, in YAML or in TOML, which is refused when it is read. */
export function hasFrontMatter(text: string): boolean {
  return /^\ufeff?(?:---|\+\+\+)[ \t]*\r?\n/.test(text);
}

/**
 * Cuts a Markdown file into front matter and body, and reads the front matter as YAML 1.2 core: dates stay texts.
 * Nothing in it is ever evaluated.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID, its message starting with `line <n>: `.
 */
export function splitFrontMatter(text: string): MarkdownFile {
  const [whole, source] = FENCED.exec(text) ?? [];
  if (whole === undefined || source === undefined) {
    throw invalid(1, whyNotCut(text));
  }
  return { data: parse(source), body: text.slice(whole.length) };
}

function whyNotCut(text: string): string {
  if (!hasFrontMatter(text)) return 'there is no YAML front matter; the file must start with a line ---';
  return /^\ufeff?\+/.test(text)
    ? 'TOML front matter is not read; write it as YAML between two lines ---'
    : 'the front matter is never closed; end it with a line ---';
}

function parse(source: string): Readonly<Record<string, unknown>> {
  let data: unknown;
  try {
    data = yaml.load(source, { schema: yaml.CORE_SCHEMA });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw invalid(
      (error.mark?.line ?? 0) + 2,
      `the front matter is not valid YAML, ${error.reason}; correct it`,
      error,
    );
  }
  if (data === null || data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data))
    throw invalid(2, 'the front matter must be a map of keys and values');
  return data as Record<string, unknown>;
}

/** The text under the first of these keys that is there; numbers and booleans are taken as they read. */
export function textOf({ data }: MarkdownFile, ...keys: readonly string[]): string | undefined {
  const key = keys.find((one) => Object.hasOwn(data, one) && data[one] !== null);
  const value = key === undefined ? undefined : data[key];
  if (value === undefined) return undefined;
  if (typeof value === 'object') throw invalid(1, `${quote(key)} must be a text, not a list or a map`);
  return String(value).trim();
}

/** A list of texts; a single text is cut at its commas. Empty ones and repetitions are left out. */
export function listOf({ data }: MarkdownFile, key: string): string[] {
  const value = Object.hasOwn(data, key) ? (data[key] ?? []) : [];
  const items = Array.isArray(value) ? value : String(value).split(',');
  if (!Array.isArray(value) && typeof value === 'object')
    throw invalid(1, `${quote(key)} must be a list of texts`);
  const texts = items.map((item) => {
    if (typeof item === 'object' && item !== null) throw invalid(1, `${quote(key)} must be a list of texts`);
    return String(item ?? '').trim();
  });
  return [...new Set(texts)].filter((text) => text !== '');
}

function invalid(line: number, reason: string, cause?: unknown): PressmarkError {
  return new PressmarkError('FRONT_MATTER_INVALID', `line ${line}: ${reason}`, { cause });
}
