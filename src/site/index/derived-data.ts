import { messageOf } from '../../errors.js';
import type { PageAdditions, PageData } from '../../host/pages/page-additions.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { Log } from '../../log.js';
import { type ArticleEntry, type Post, summaryOf } from './article-entry.js';
import type { SiteIndex } from './site-index.js';

/** The data that plugins derive from all articles; see `derivedData`. */
export type DerivedData = ReturnType<typeof derivedData>;

/** The derived data for an article's page, by name. */
export type Derived = Readonly<Record<string, unknown>>;

/** The longest input of an article, which stays in memory, in characters of JSON. */
const LONGEST_INPUT = 20_000;

const NOTHING: Derived = {};

/** Computes plugins' derived data. If a plugin fails, the error is logged, and its data is missing. */
export function derivedData(data: PageAdditions['data'], log: Log) {
  const failed = new Set<string>();
  let last: { key: string; derivedOf: (post: Post) => Derived } | undefined;

  /** Returns an article's inputs; undefined if no plugin derives data. */
  function inputsOf(entry: ArticleEntry, html: string): Readonly<Record<string, unknown>> | undefined {
    if (data.size === 0) return undefined;
    return each((_name, plugin, spec) => {
      const input = plain(asPlugin(plugin, () => spec.inputs({ ...summaryOf(entry), html })));
      if (JSON.stringify(input).length <= LONGEST_INPUT) return input;
      throw new Error(`the input of ${entry.path} has more than ${LONGEST_INPUT} characters`);
    });
  }

  /** Returns a function that returns the data for an article's page with this index. */
  function derivedWith(index: SiteIndex): (post: Post) => Derived {
    if (data.size === 0) return () => NOTHING;
    const key = index.key();
    if (last?.key === key) return last.derivedOf;
    const results = new Map<string, { readonly result: unknown }>();
    const compute = () =>
      each((name, plugin, { compute }) => {
        const articles = index.posts
          .toReversed()
          .map((post) => ({ article: summaryOf(post), input: post.inputs?.[name] ?? null }));
        results.set(name, { result: asPlugin(plugin, () => compute(articles)) });
      });
    let isComputed = false;
    const derivedOf = (post: Post): Derived => {
      if (!isComputed) compute();
      isComputed = true;
      return each((name, plugin, { of }) => {
        const known = results.get(name);
        return known && plain(asPlugin(plugin, () => of(summaryOf(post), known.result)));
      });
    };
    last = { key, derivedOf };
    return derivedOf;
  }

  function each(work: (name: string, plugin: string, spec: PageData) => unknown): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, { plugin, spec }] of data) {
      try {
        const value = work(name, plugin, spec);
        if (value !== undefined) made[name] = value;
      } catch (error) {
        const reason = messageOf(error);
        if (!failed.has(`${name} ${reason}`))
          log.error({ plugin, data: name, reason }, 'derived data failed');
        failed.add(`${name} ${reason}`);
      }
    }
    return made;
  }

  return { inputsOf, derivedWith };
}

/** Converts a value to plain JSON data, for the saved state and for cache keys. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
