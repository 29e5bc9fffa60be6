import { isDeepStrictEqual } from 'node:util';
import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { termKey } from '../../article/names.js';
import { byFrequency, defined, textsOf } from '../../article/plain-data.js';
import { quote } from '../../errors.js';
import type { GeneratorOptions, Problem, Question, SiteFacts } from '../generator.js';
import type { Inferred, SitePost } from './infer-pattern.js';

/** The findings of a definition about a site. The other facts follow from the posts. */
interface Findings
  extends Omit<SiteFacts, 'permalink' | 'frontMatter' | 'options' | 'questions' | 'warnings'> {
  /** The posts that a new article resembles. */
  readonly posts: readonly SitePost[];
  /** The keys, if they differ from the generator's usual ones. */
  readonly keys: Partial<KeyNames>;
  /** The keys that decide how and where a post is displayed. @default none */
  readonly shared?: readonly string[];
  /**
   * Whether a new article gets the category of most posts. Not for tags, which an article gets only from the service. @default
   * true
   */
  readonly sharesCategory?: boolean;
  /** The authors of the site, by name. @default none */
  readonly authors?: Readonly<Record<string, string>>;
  /** The pattern of their addresses. */
  readonly inferred?: Inferred | undefined;
  /** The address of a new article if posts do not show one. */
  readonly usualPermalink: string;
  /** The front matter of an article, unless most posts have other values. @default none */
  readonly frontMatter?: SiteFacts['frontMatter'];
  /** Undefined options, and empty lists and maps, are left out. */
  readonly options: { readonly [Name in keyof GeneratorOptions]: GeneratorOptions[Name] | undefined };
  readonly questions?: readonly Question[];
  readonly warnings?: readonly Problem[];
}

/** Combines a definition's findings with the facts that follow from the posts. */
export function siteFacts(findings: Findings): SiteFacts {
  const { posts, keys, shared = [], authors = {}, inferred, usualPermalink, options, ...facts } = findings;
  const { sharesCategory = true, frontMatter, questions = [], warnings = [], ...others } = facts;
  const category = sharesCategory ? sharedCategory(posts, keys) : {};
  const found = options.keptTags;
  // If the site's code cannot be asked, it may select posts by a tag that no post has yet.
  const usual = keys.tags === null ? [] : SELECTING;
  const kept = found === undefined ? usual : [...found, ...selectingTags(posts, keys)];
  return {
    ...others,
    permalink: inferred?.pattern ?? usualPermalink,
    frontMatter: { ...frontMatter, ...sharedFrontMatter(posts, shared), ...category },
    options: stated({ ...knownTerms(posts, keys, authors), keys, ...options, keptTags: [...new Set(kept)] }),
    questions: [...questions, ...permalinkQuestions(inferred)],
    warnings,
  };
}

/** Asks for the address of new articles if the posts have no common pattern. */
function permalinkQuestions(inferred: Inferred | undefined): Question[] {
  if (inferred === undefined || inferred.isCommon) return [];
  const { pattern } = inferred;
  const text = `The posts’ addresses have no common pattern; the most frequent one is ${quote(pattern, 100)}. Which address does a new article get?`;
  return [{ flag: 'permalink', text, fallback: pattern }];
}

/** Drops empty options. */
function stated(options: Findings['options']): GeneratorOptions {
  const said = Object.entries(defined(options)).filter(
    ([name, value]) => name === 'usedIds' || typeof value !== 'object' || Object.keys(value).length > 0,
  );
  return Object.fromEntries(said);
}

/** The front matter for how and where a post is displayed, with the values of most posts. */
function sharedFrontMatter(
  posts: readonly SitePost[],
  keys: readonly string[],
): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  for (const key of keys) {
    const values = posts.map(({ data }) => data[key]).filter(isShareable);
    const most = values.find(
      (one) => values.filter((other) => isDeepStrictEqual(other, one)).length * 2 > posts.length,
    );
    if (most !== undefined) shared[key] = most;
  }
  return shared;
}

function isShareable(value: unknown): value is string | boolean | string[] {
  if (typeof value === 'boolean') return true;
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/**
 * The number of posts from which a category is inferred. Fewer posts, such as those of a starter, say nothing about the next
 * one.
 */
const FEWEST_OF_CATEGORY = 3;

/** The category of most posts, as front matter. */
export function sharedCategory(
  posts: readonly SitePost[],
  { category }: Partial<KeyNames>,
): Record<string, FrontMatterValue> {
  if (category == null || posts.length < FEWEST_OF_CATEGORY) return {};
  return sharedFrontMatter(posts, [keyPath(category).key]);
}

/** Usual names of tags by which sites select posts. */
const SELECTING = new Set('nav navigation menu featured highlight pinned sticky hidden'.split(' '));

/** The tags of posts by which sites usually select them, such as for the home page. */
function selectingTags(posts: readonly SitePost[], { tags = 'tags' }: Partial<KeyNames>): string[] {
  if (tags === null) return [];
  return posts.flatMap(({ data }) => textsOf(data[tags])).filter((tag) => SELECTING.has(termKey(tag)));
}

/** The most categories that are known; if there are more, the rarest are left out. */
const MOST_CATEGORIES = 200;

/** The authors and categories in the posts, by their keys. */
function knownTerms(
  posts: readonly SitePost[],
  keys: Partial<KeyNames>,
  authors: Readonly<Record<string, string>>,
): Pick<GeneratorOptions, 'authors' | 'categories'> {
  const valuesAt = (path: string | null | undefined): string[] =>
    path == null ? [] : posts.flatMap(({ data }) => textsOf(data[keyPath(path).key]));
  const ids = new Set(Object.values(authors));
  const named = valuesAt(keys.author);
  const areNamed = named.filter((id) => ids.has(id)).length * 2 > named.length;
  return {
    authors: areNamed ? authors : {},
    categories: byFrequency(valuesAt(keys.category)).slice(0, MOST_CATEGORIES),
  };
}
