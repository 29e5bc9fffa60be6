import { hash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { type ArticleList, compare, createArticleList, type Post } from './article-list.js';

/** Articles that have a name in common, such as a tag or an author. */
export interface Term {
  readonly name: string;
  /** The segment of its page's address. */
  readonly slug: string;
  /** The path of its page. */
  readonly address: string;
  readonly list: ArticleList;
}

/** All terms of one kind, such as the tags; see `createTags`. */
export type Taxonomy = ReturnType<typeof createTaxonomy>;

/** What has become of the terms of one kind. */
export interface TaxonomyChange {
  /** Terms whose articles have changed. */
  readonly changed: readonly Term[];
  /** Terms whose address is another than before; every page that links them must be built anew. */
  readonly readdressed: readonly Term[];
  /** The former addresses of terms that have another one or no longer exist, and how many articles each had at the last call. */
  readonly vacated: readonly { readonly address: string; readonly count: number }[];
  /** Names of terms that are new. */
  readonly added: readonly string[];
  /** Names of terms that have no article any more. */
  readonly removed: readonly string[];
}

const LONGEST_SLUG = 80;

/** The tags of no articles. */
export function createTags(): Taxonomy {
  return createTaxonomy('/tags/', ({ entry }) => entry.tags, 'tag');
}

/** The authors of no articles. */
export function createAuthors(): Taxonomy {
  const namesOf = ({ entry }: Post) => (entry.author === '' ? [] : [entry.author]);
  return createTaxonomy('/authors/', namesOf, 'author');
}

/** A term whose address is chosen here. */
type OwnTerm = { -readonly [key in keyof Term]: Term[key] } & {
  /** The slug that its name makes, which others may have as well. */
  readonly plain: string;
};

/**
 * @param folder the path below which the terms' pages stand.
 * @param word the slug of a name of which no letter is left.
 */
function createTaxonomy(folder: string, namesOf: (post: Post) => readonly string[], word: string) {
  const terms = new Map<string, OwnTerm>();
  const bySlug = new Map<string, OwnTerm>();
  const byPlain = new Map<string, Set<OwnTerm>>();
  let touched = new Set<OwnTerm>();

  /** Takes `before` out of the lists of its terms and `after` into those of its own. */
  function swap(before: Post | undefined, after: Post | undefined): void {
    const old = before === undefined ? [] : namesOf(before);
    const now = after === undefined ? [] : namesOf(after);
    for (const name of now) swapIn(name, old.includes(name) ? before : undefined, after);
    for (const name of old) if (!now.includes(name)) swapIn(name, before, undefined);
  }

  function swapIn(name: string, before: Post | undefined, after: Post | undefined): void {
    const term = terms.get(name) ?? add(name);
    term.list.swap(before, after);
    touched.add(term);
  }

  function add(name: string): OwnTerm {
    const plain = plainSlug(name);
    const term: OwnTerm = { name, plain, slug: '', address: '', list: createArticleList() };
    terms.set(name, term);
    byPlain.set(plain, (byPlain.get(plain) ?? new Set()).add(term));
    return term;
  }

  /** Gives slugs after a number of swaps, and says what has become of the terms since the last call. */
  function resolve(): TaxonomyChange {
    const changed = [...touched].filter(({ list }) => list.items.length > 0);
    const removed = [...touched].filter(({ list }) => list.items.length === 0);
    const plains = new Set([...touched].map(({ plain }) => plain));
    touched = new Set();
    for (const term of removed) drop(term);
    const addressed = [...plains].flatMap(namesakes);
    const readdressed = addressed.filter(({ from }) => from !== '');
    const added = addressed.filter(({ from }) => from === '');
    const vacated = [...readdressed, ...removed.map((term) => ({ term, from: term.address }))];
    return {
      changed,
      readdressed: readdressed.map(({ term }) => term),
      vacated: vacated.map(({ term, from }) => ({ address: from, count: term.list.countBefore() })),
      added: added.map(({ term }) => term.name),
      removed: removed.filter(({ address }) => address !== '').map(({ name }) => name),
    };
  }

  function drop(term: OwnTerm): void {
    terms.delete(term.name);
    byPlain.get(term.plain)?.delete(term);
    if (byPlain.get(term.plain)?.size === 0) byPlain.delete(term.plain);
    if (bySlug.get(term.slug) === term) bySlug.delete(term.slug);
  }

  /**
   * Terms whose names make the same slug ("C" and "C++"): the one that was used first has it, the others get a
   * hash behind. So the articles alone decide, and a term's address stays when new articles come.
   *
   * @returns those whose slug is another now, and their addresses before.
   */
  function namesakes(plain: string): { term: OwnTerm; from: string }[] {
    const open = new Set<OwnTerm>();
    let first: OwnTerm | undefined;
    for (const term of byPlain.get(plain) ?? []) {
      if (plain !== '' && (first === undefined || byFirstUse(term, first) < 0)) first = term;
      // One that has a hash has it for good, unless it is the first now.
      if (term.slug === '' || term.slug === plain) open.add(term);
    }
    if (first !== undefined) open.add(first);
    const readdressed = [...open].flatMap((term) => {
      const slug = term === first ? plain : `${plain || word}-${hash('sha256', term.name).slice(0, 8)}`;
      if (term.slug === slug) return [];
      const from = term.address;
      if (bySlug.get(term.slug) === term) bySlug.delete(term.slug);
      term.slug = slug;
      term.address = `${folder}${slug}/`;
      return [{ term, from }];
    });
    for (const { term } of readdressed) bySlug.set(term.slug, term);
    return readdressed;
  }

  return {
    /** The names of the terms that an article has, each once. */
    namesOf,
    get: (name: string): Term | undefined => terms.get(name),
    /** The term whose address has this segment. */
    at: (slug: string): Term | undefined => bySlug.get(slug),
    all: (): IterableIterator<Term> => terms.values(),
    swap,
    resolve,
  };
}

function byFirstUse(a: Term, b: Term): number {
  const [first, other] = [a.list.items[0], b.list.items[0]];
  const order = first !== undefined && other !== undefined ? compare(first, other) : 0;
  return order !== 0 ? order : a.name < b.name ? -1 : 1;
}

function plainSlug(name: string): string {
  const slug = slugify(name.slice(0, 2 * LONGEST_SLUG).toWellFormed(), { decamelize: false });
  return slug
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-{2,}/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');
}
