import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, parseDocument } from 'yaml';
import { readFrontMatter } from '../../../src/article/front-matter/read.js';

/** What an update did to the front matter of a file. */
export interface Amendment {
  /** The keys of entries that were there and are gone, or differ. */
  readonly changed: readonly string[];
  /** The keys of entries that are new. */
  readonly added: readonly string[];
  /** Whether all other entries, with the comments and blank lines behind them, are as they were, in their order. */
  readonly isRestKept: boolean;
}

/** Compares the front matter of a file before and after an update: of YAML byte for byte, of TOML and JSON the values. */
export function amendment(before: string, after: string): Amendment {
  const isYaml = /^\uFEFF?---\r?\n/.test(before);
  const [old, now] = [before, after].map(
    isYaml ? yamlEntries : (text) => new Map(Object.entries(readFrontMatter(text).data)),
  ) as [Entries, Entries];
  const isSame = (key: string) => isDeepStrictEqual(old.get(key), now.get(key));
  const kept = (entries: Entries) => [...entries.keys()].filter((key) => old.has(key) && now.has(key));
  return {
    changed: [...old.keys()].filter((key) => !isSame(key)),
    added: [...now.keys()].filter((key) => !old.has(key)),
    isRestKept:
      readFrontMatter(before).form === readFrontMatter(after).form && kept(old).join() === kept(now).join(),
  };
}

type Entries = ReadonlyMap<string, unknown>;

/** The text of each entry up to the next one; that before the first is its own. */
function yamlEntries(text: string): Entries {
  const [, front = ''] = /^\uFEFF?---\r?\n([\s\S]*?\n)---\r?\n/.exec(text) ?? [];
  const { contents } = parseDocument(front);
  const starts = isMap(contents)
    ? contents.items.flatMap(({ key }) =>
        isScalar(key) && key.range ? [[String(key.value), key.range[0]] as const] : [],
      )
    : [];
  const ends = [...starts.slice(1).map(([, start]) => start), front.length];
  const entries = starts.map(([key, start], n) => [key, front.slice(start, ends[n]).trimEnd()] as const);
  return new Map([['', front.slice(0, starts[0]?.[1])], ...entries]);
}
