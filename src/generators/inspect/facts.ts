import { isDeepStrictEqual } from 'node:util';
import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { termKey } from '../../article/names.js';
import { byFrequency, defined, textsOf } from '../../article/plain-data.js';
import { quote } from '../../errors.js';
import type { GeneratorOptions, Problem, Question, SiteFacts } from '../generator.js';
import type { Inferred, SitePost } from './infer-pattern.js';

/** What a definition has found out about a site. The rest follows from the posts. */
interface Findings
  extends Omit<SiteFacts, 'permalink' | 'frontMatter' | 'options' | 'questions' | 'warnings'> {
  /** Those that a new article is like. */
  readonly posts: readonly SitePost[];
  /** Where their keys differ from the generator's usual ones. */
  readonly keys: Partial<KeyNames>;
  /** Keys that decide how and where a post is displayed. @default none */
  readonly shared?: readonly string[];
  /** Whether a new article is of the category that most posts have; tags are none that an article has unsaid. @default true */
  readonly sharesCategory?: boolean;
  /** The authors of the site, by name. @default none */
  readonly authors?: Readonly<Record<string, string>>;
  /** The pattern of their addresses. */
  readonly inferred?: Inferred | undefined;
  /** The address of a new article where no post shows it. */
  readonly usualPermalink: string;
  /** Of an article, unless most posts have another. @default none */
  readonly frontMatter?: SiteFacts['frontMatter'];
  /** Those that are undefined, and lists and maps without anything in them, are left out. */
  readonly options: { readonly [Name in keyof GeneratorOptions]: GeneratorOptions[Name] | undefined };
  readonly questions?: readonly Question[];
  readonly warnings?: readonly Problem[];
}

/** The facts of a site, from what its definition has found out and from its posts. */
export function siteFacts(findings: Findings): SiteFacts {
  const { posts, keys, shared = [], authors = {}, inferred, usualPermalink, options, ...facts } = findings;
  const { sharesCategory = true, frontMatter, questions = [], warnings = [], ...others } = facts;
  const category = sharesCategory ? sharedCategory(posts, keys) : {};
  const found = options.keptTags;
  const kept = found === undefined ? usualTags(keys) : [...found, ...selectingTags(posts, keys)];
  return {
    ...others,
    permalink: inferred?.pattern ?? usualPermalink,
    frontMatter: { ...frontMatter, ...sharedFrontMatter(posts, shared), ...category },
    options: stated({ ...knownTerms(posts, keys, authors), keys, ...options, keptTags: [...new Set(kept)] }),
    questions: [...questions, ...permalinkQuestions(inferred)],
    warnings,
  };
}

/** Asks for the address of new articles where the posts have no pattern in common. */
function permalinkQuestions(inferred: Inferred | undefined): Question[] {
  if (inferred === undefined || inferred.isCommon) return [];
  const { pattern } = inferred;
  const text = `The addresses of the posts have no pattern in common; the most frequent one is ${quote(pattern, 100)}. Which address shall new articles have?`;
  return [{ flag: 'permalink', text, fallback: pattern }];
}

/** Options that say something. */
function stated(options: Findings['options']): GeneratorOptions {
  const said = Object.entries(defined(options)).filter(
    ([name, value]) => name === 'usedIds' || typeof value !== 'object' || Object.keys(value).length > 0,
  );
  return Object.fromEntries(said);
}

/** Front matter that decides how and where a post is displayed, as most posts have it. */
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

/** Fewer posts, such as those of a starter, say nothing about the category of the next one. */
const FEWEST_OF_CATEGORY = 3;

/** The category that most posts have, as front matter. */
export function sharedCategory(
  posts: readonly SitePost[],
  { category }: Partial<KeyNames>,
): Record<string, FrontMatterValue> {
  if (category == null || posts.length < FEWEST_OF_CATEGORY) return {};
  return sharedFrontMatter(posts, [keyPath(category).key]);
}

/** Names that sites give to tags by which they select posts. */
const SELECTING = new Set('nav navigation menu featured highlight pinned sticky hidden'.split(' '));

/** The tags by which a site may select posts where nobody can be asked what its code does. It may have no such post yet. */
function usualTags({ tags }: Partial<KeyNames>): readonly string[] {
  return tags === null ? [] : [...SELECTING];
}

/** The tags of posts by which the site mostly selects them, such as for its home page. */
function selectingTags(posts: readonly SitePost[], { tags = 'tags' }: Partial<KeyNames>): string[] {
  if (tags === null) return [];
  return posts.flatMap(({ data }) => textsOf(data[tags])).filter((tag) => SELECTING.has(termKey(tag)));
}

/** So many categories are known; of more, the rarest are none that an article is put into. */
const MOST_CATEGORIES = 200;

/** What posts say of authors and categories, by their keys. */
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
