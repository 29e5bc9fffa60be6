import { isDeepStrictEqual } from 'node:util';
import { type AnyFrontMatter, readFrontMatter } from '../../../src/article/front-matter/read.js';

/** A file that a person wrote: its front matter, entry by entry, and its body. */
export interface WrittenFile {
  /** What is before the first entry and after the last one: the marks. */
  readonly marks: readonly string[];
  /** The entries at the top level, in their order; comments and blank lines are entries without a key. */
  readonly entries: readonly Entry[];
  readonly body: string;
}

export interface Entry {
  /** Undefined for a comment and a blank line. */
  readonly key: string | undefined;
  readonly text: string;
}

/**
 * Splits a file into the entries of its front matter by its lines alone, without a parser: it must find each byte
 * again. YAML, TOML and JSON with an entry to a line.
 */
export function splitFile(text: string): WrittenFile {
  const lines = text.replace(/^\uFEFF/, '').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const first = lines[0]?.trimEnd() ?? '';
  const end = { '---': '---', '---json': '---', '+++': '+++', '{': '}' }[first];
  const at = lines.findIndex((line, index) => index > 0 && line.trimEnd() === end);
  if (end === undefined || at === -1) return { marks: [], entries: [], body: text };
  const entries: { key: string | undefined; text: string }[] = [];
  // A TOML table, and what is below it, is one entry.
  let isInTable = false;
  const inside = lines.slice(1, at);
  const indent = /^[ \t]+(?=")/.exec(inside.find((line) => /^\s+"/.test(line)) ?? '')?.[0] ?? '';
  for (const [index, line] of inside.entries()) {
    const key = keyOf(line, first, indent);
    const table = first === '+++' && /^\[+([^\].]+)/.exec(line)?.[1];
    if (table) isInTable = true;
    const last = entries.at(-1);
    const next = inside.slice(index).find((one) => one.trim() !== '') ?? '';
    const isBelow = isInTable
      ? !table
      : key === undefined && /^[\s\])}-]/.test(next) && line.trimEnd() !== '}';
    if (isBelow && last?.key !== undefined) last.text += line;
    else entries.push({ key: table || key, text: line });
  }
  return { marks: [first, end], entries, body: lines.slice(at + 1).join('') };
}

function keyOf(line: string, mark: string, indent: string): string | undefined {
  if (mark === '---')
    return /^(?:"([^"]+)"|'([^']+)'|([^\s#:][^:]*)):(?:\s|$)/.exec(line)?.slice(1).find(Boolean);
  if (mark === '+++') return /^"?([\w-]+)"?\s*=/.exec(line)?.[1];
  return line.startsWith(`${indent}"`) ? /^\s*"([^"]+)"\s*:/.exec(line)?.[1] : undefined;
}

/** What an update did to the front matter of a file. */
export interface Amendment {
  /** The keys of entries that were there and are gone, or differ. */
  readonly changed: readonly string[];
  /** The keys of entries that are new. */
  readonly added: readonly string[];
  /** Whether all other entries, comments and blank lines are as they were, in their order. */
  readonly isRestKept: boolean;
}

/** Compares the front matter of a file before and after an update: of YAML byte for byte, of TOML and JSON the values. */
export function amendment(before: string, after: string): Amendment {
  if (!/^\uFEFF?---\r?\n/.test(before)) return changedValues(readFrontMatter(before), readFrontMatter(after));
  const old = splitFile(before);
  const now = splitFile(after);
  const text = (file: WrittenFile, key: string) => file.entries.find((entry) => entry.key === key)?.text;
  const keys = (file: WrittenFile) => file.entries.flatMap(({ key }) => key ?? []);
  const changed = keys(old).filter((key) => comparable(text(old, key)) !== comparable(text(now, key)));
  const added = keys(now).filter((key) => text(old, key) === undefined);
  const rest = (file: WrittenFile, except: readonly string[]) =>
    file.entries
      .filter(({ key }) => key === undefined || !except.includes(key))
      .map((entry) => comparable(entry.text));
  return {
    changed,
    added,
    isRestKept:
      old.marks.join() === now.marks.join() &&
      // A blank line may come before a new table of TOML.
      rest(old, changed).join('').trimEnd() ===
        rest(now, [...changed, ...added])
          .join('')
          .trimEnd(),
  };
}

function changedValues(before: AnyFrontMatter, after: AnyFrontMatter): Amendment {
  const keys = Object.keys(before.data);
  const kept = Object.keys(after.data).filter((key) => Object.hasOwn(before.data, key));
  return {
    changed: keys.filter((key) => !isDeepStrictEqual(before.data[key], after.data[key])),
    added: Object.keys(after.data).filter((key) => !Object.hasOwn(before.data, key)),
    isRestKept: before.form === after.form && kept.join() === keys.filter((key) => kept.includes(key)).join(),
  };
}

/** In JSON, an entry has a comma after it only if another one follows; in TOML, a blank line before another table. */
const comparable = (text: string | undefined) => text?.replace(/,?\s*$/, '\n');
