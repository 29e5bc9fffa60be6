import { quote } from '../../errors.js';
import type { FilterName } from './hook-types.js';

/** Returned by a filter of `article.draft` to store the article without showing it; see `ReceiverHost.hold`. */
export class Hold {
  constructor(readonly reason: string) {}
}

/** Returned by a filter of `article.draft` to refuse the delivery; see `ReceiverHost.refuse`. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly words: string,
  ) {}
}

/** What a filter of `article.draft` may return instead of a draft. */
export type Decision = Hold | Refusal;

/** Checks a value that a filter returned. Returns the error, as the end of a sentence; undefined if there is none. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : `${nameOf(value)} instead of a text`);

/** A text that a file can hold. */
const storedText: Check = (value) =>
  text(value) ?? (String(value).isWellFormed() ? undefined : 'a text with a lone surrogate');

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value);

const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return `${nameOf(value)} instead of a list`;
    for (const item of value) {
      const fault = check(item);
      if (fault !== undefined) return `a list with ${fault}`;
    }
    return undefined;
  };

const objectWith =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isObject(value)) return `${nameOf(value)} instead of an object`;
    for (const [name, check] of Object.entries(fields)) {
      const fault = check(value[name]);
      if (fault !== undefined) return `an object whose ${name} is ${fault}`;
    }
    return undefined;
  };

/** An object that JSON can represent. */
const plainData: Check = (value) => {
  if (!isObject(value)) return `${nameOf(value)} instead of an object`;
  try {
    const json: string | undefined = JSON.stringify(value, (key, part: unknown) => {
      const isWhole = key.isWellFormed() && (typeof part !== 'string' || part.isWellFormed());
      if (!isWhole) throw new Error('a text with a lone surrogate');
      return part;
    });
    return json?.startsWith('{') ? undefined : 'an object that JSON cannot hold';
  } catch {
    return 'an object that JSON cannot hold';
  }
};

const address: Check = (value) =>
  text(value) ?? (URL.canParse(String(value)) ? undefined : 'a text that is not an absolute URL');

const moment: Check = (value) =>
  text(value) ?? (Number.isNaN(Date.parse(String(value))) ? 'a text that is not a date' : undefined);

const object = objectWith({});

// Not `readingMinutes`: asking for it may read the article's file. A date is as it stands in the file, where a person's may be
// missing or be none.
const LINK = { title: text, description: text, date: text, image: orNull(address), url: text };
const SUMMARY = {
  ...LINK,
  id: text,
  updated: orNull(text),
  author: text,
  tags: listOf(text),
  excerpt: text,
  extra: object,
};

/** A file with an empty reason, or `held: false`, is not held. */
const reason: Check = (value) =>
  storedText(value) === undefined && value !== '' && value !== 'false'
    ? undefined
    : `${typeof value === 'string' ? quote(value) : nameOf(value)} as the reason to hold it`;

const draft = objectWith({
  title: storedText,
  description: storedText,
  author: storedText,
  keyword: storedText,
  contentHtml: storedText,
  body: storedText,
  tags: listOf(storedText),
  image: orNull(storedText),
  held: (value) => (value === undefined ? undefined : reason(value)),
});

/** The delivery is answered with these words. */
const refusal: Check = (value) => {
  const { status, words } = value as Refusal;
  if (!Number.isInteger(status) || status < 400 || status > 599)
    return `a refusal with the status ${status}, which is not one from 400 to 599`;
  return text(words) === undefined ? undefined : 'a refusal without a message';
};

/** What each filter must return. */
const RESULTS: Readonly<Partial<Record<FilterName, Check>>> = {
  'article.draft': (value) => {
    if (value instanceof Hold) return reason(value.reason);
    return value instanceof Refusal ? refusal(value) : draft(value);
  },
  'article.slug': storedText,
  'article.frontMatter': plainData,
  'page.context': objectWith({
    site: object,
    kind: text,
    title: text,
    description: text,
    canonical: text,
    article: orNull(
      objectWith({
        ...SUMMARY,
        keyword: text,
        html: text,
        toc: listOf(object),
        previous: orNull(objectWith(LINK)),
        next: orNull(objectWith(LINK)),
        related: listOf(objectWith(LINK)),
      }),
    ),
    page: orNull(
      objectWith({ title: text, description: text, html: text, toc: listOf(object), extra: object }),
    ),
    articles: listOf(objectWith(SUMMARY)),
    tag: orNull(text),
    author: orNull(text),
    head: text,
    extra: object,
  }),
  'page.head': text,
  'page.content': text,
  'page.html': text,
  'articles.listed': listOf(objectWith(SUMMARY)),
  'article.related': listOf(objectWith(LINK)),
  'feed.items': listOf(objectWith({ ...SUMMARY, html: text })),
  'sitemap.items': listOf(
    objectWith({ url: address, lastmod: (value) => (value === undefined ? undefined : moment(value)) }),
  ),
  'git.message': text,
};

/** The error in the result of a filter handler; undefined if there is none. */
export function faultInResult(name: FilterName, value: unknown): string | undefined {
  return RESULTS[name]?.(value); // what a plugin's own filters return is for that plugin to check
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}
