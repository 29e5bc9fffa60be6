import { slugText } from '../../article/address/slug.js';
import { parseMarkdown } from './markdown.js';

/** The parts of an article's address on its old site. */
export interface OldPlace {
  /** The permalink in the file: an address, or a path on the old site. */
  readonly permalink: string | undefined;
  /** Further addresses that lead to the article. */
  readonly aliases: readonly string[];
  readonly slug: string;
  readonly categories: readonly string[];
  /** ISO 8601. */
  readonly date: string | undefined;
}

/** The addresses of an article on its old site. */
export interface OldUrls {
  /** The article's own address; undefined if unknown. */
  readonly page: string | undefined;
  /** All addresses, including those that lead to it. */
  readonly all: readonly string[];
}

/**
 * The addresses of an article on its old site.
 *
 * @param base the address of the old site, or a pattern for its articles with `:year`, `:month`, `:day`, `:slug` and
 *   `:categories`.
 */
export function oldUrlsOf(base: string, { permalink, aliases, ...place }: OldPlace): OldUrls {
  const page = permalink === undefined ? filled(base, place) : resolved(permalink, base);
  const all = [page, ...aliases.map((alias) => resolved(alias, base))];
  return { page, all: [...new Set(all.filter((url) => url !== undefined))] };
}

/** An address on the old site; without a leading slash, it is below the site's own address. */
function resolved(address: string, base: string): string | undefined {
  const root = rootOf(base);
  return URL.canParse(address, root) ? new URL(address, root).href : undefined;
}

/** The part of a pattern that all articles share. */
function rootOf(base: string): string {
  return base.split(PLACEHOLDER, 1)[0] ?? base;
}

function filled(base: string, { slug, categories, date }: Omit<OldPlace, 'permalink' | 'aliases'>) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(date ?? '') ?? [];
  const parts: Readonly<Record<string, string | undefined>> = {
    ...{ year, month, day, slug, title: slug },
    categories: categories.map(slugText).join('/'),
  };
  const names = [...base.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (names.length === 0 || names.some((name) => parts[name] === undefined)) return undefined;
  const text = base.replace(PLACEHOLDER, (_, name: string) => parts[name] ?? '');
  return new URL(text.replace(/(?<!:)\/{2,}/g, '/')).href; // an article without a category lacks one part
}

/** A part of the pattern that each article fills in. */
const PLACEHOLDER = /:(year|month|day|slug|title|categories)\b/g;

/** Targets of links and pictures, in Markdown and in HTML. */
const TARGETS = [
  /(\]\(\s*<?)([^)\s>]+)/g,
  /^( {0,3}\[[^\]^][^\]]*\]:\s*<?)([^\s>]+)/g,
  /(\b(?:src|href)=["'])([^"']+)/gi,
];

/**
 * Makes the relative links and pictures of a text absolute, as a browser would resolve them on the old site.
 *
 * @param page the article's own address there; without it, links are resolved against the site's address.
 */
export function withAbsoluteLinks(markdown: string, base: string, page: string | undefined): string {
  const resolve = (line: string) =>
    TARGETS.reduce(
      (text, pattern) =>
        text.replace(
          pattern,
          (_, before: string, target: string) => `${before}${absolute(target, base, page)}`,
        ),
      line,
    );
  return piecesOf(markdown)
    .map(({ text, isCode }) => (isCode ? text : resolve(text)))
    .join('');
}

/** Resolves a relative address on the old site; other addresses stay unchanged. */
export function absolute(target: string, base: string, page: string | undefined): string {
  const at = page ?? rootOf(base);
  const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\{)/i.test(target);
  return isRelative && URL.canParse(target, at) ? new URL(target, at).href : target;
}

/** Removes the code from a text. */
export function proseOf(markdown: string): string {
  return piecesOf(markdown)
    .map(({ text, isCode }) => (isCode ? '' : text))
    .join('');
}

/** Splits a text into code and prose. */
function piecesOf(markdown: string): { readonly text: string; readonly isCode: boolean }[] {
  const code = new Set<number>();
  for (const { type, map } of parseMarkdown(markdown))
    if ((type === 'fence' || type === 'code_block') && map !== null)
      for (let line = map[0]; line < map[1]; line++) code.add(line);
  return markdown
    .split(/(?<=\n)/)
    .flatMap((line, n) =>
      code.has(n)
        ? [{ text: line, isCode: true }]
        : line.split(/(`+[^`\n]*`+)/).map((text, part) => ({ text, isCode: part % 2 === 1 })),
    );
}
