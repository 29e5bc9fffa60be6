import { type AnyFrontMatter, readFrontMatter } from '../../article/front-matter/read.js';
import { PressmarkError, quote } from '../../errors.js';

/** A Markdown file, split into its front matter and the text below. */
export type MarkdownFile = Pick<AnyFrontMatter, 'data' | 'body'>;

/** Whether a text begins with front matter in YAML, TOML or JSON. */
export function hasFrontMatter(text: string): boolean {
  return /^\ufeff?(?:(?:---|\+\+\+)(?:json)?[ \t]*\r?\n|\{\s*")/.test(text);
}

/**
 * Splits a Markdown file into front matter and body. Nothing in it is ever evaluated.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID or FRONT_MATTER_UNSUPPORTED, with a message that starts with `line <n>: `.
 */
export function splitFrontMatter(text: string): MarkdownFile {
  const { form, data, body } = readFrontMatter(text);
  if (form === 'none') throw invalid('there is no front matter; the file must start with a line ---');
  return { data, body };
}

/** The value of the first of these keys that is not empty; `cover.image` is a key in a map. */
export function valueAt({ data }: MarkdownFile, ...keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = key
      .split('.')
      .reduce<unknown>(
        (at, part) =>
          typeof at === 'object' && at !== null && Object.hasOwn(at, part)
            ? (at as Record<string, unknown>)[part]
            : undefined,
        data,
      );
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** The text under the first of these keys that exists; numbers and booleans are converted. */
export function textOf(file: MarkdownFile, ...keys: readonly string[]): string | undefined {
  const value = valueAt(file, ...keys);
  if (value === undefined) return undefined;
  if (typeof value === 'object')
    throw invalid(`${quote(keys.join(', '))} must be a text, not a list or a map`);
  return String(value).trim();
}

/**
 * A list of texts. A single text is split at commas, or otherwise at blanks, as in Jekyll. Empty texts and duplicates are
 * dropped.
 */
export function listOf(file: MarkdownFile, ...keys: readonly string[]): string[] {
  const texts = keys.flatMap((key) => {
    const value = valueAt(file, key) ?? [];
    if (!Array.isArray(value) && typeof value === 'object')
      throw invalid(`${quote(key)} must be a list of texts`);
    const items: unknown[] = Array.isArray(value)
      ? value
      : String(value).split(/,/.test(String(value)) ? ',' : /\s/);
    return items.map((item) => {
      if (typeof item === 'object' && item !== null) throw invalid(`${quote(key)} must be a list of texts`);
      return String(item ?? '').trim();
    });
  });
  return [...new Set(texts)].filter((text) => text !== '');
}

function invalid(reason: string): PressmarkError {
  return new PressmarkError('FRONT_MATTER_INVALID', `line 1: ${reason}`);
}
