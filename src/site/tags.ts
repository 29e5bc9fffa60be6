import { hash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import type { Entry } from '../store/entry.js';
import { compare, createSeries, type Piece, type Series } from './series.js';

/** A tag and the articles that carry it. */
export interface Tag {
  readonly name: string;
  /** The segment of its page's address. */
  readonly slug: string;
  readonly series: Series;
}

/** All tags of the site; see `createTags`. */
export interface Tags {
  get(name: string): Tag | undefined;
  all(): IterableIterator<Tag>;
  /** Takes `before` out of its tags and `after` into its own. */
  swap(before: Piece | undefined, after: Piece | undefined): void;
  /** Gives slugs after a number of swaps. */
  settle(): {
    /** Tags whose articles have changed. */
    readonly changed: readonly Tag[];
    /** Tags whose address is another now; every page that links them must be built anew. */
    readonly moved: readonly Tag[];
    /** Names of tags that no article carries any more. */
    readonly gone: readonly string[];
  };
}

const LONGEST_SLUG = 80;

/** An article's tags as pages show them: trimmed, each once, no empty ones. */
export function tagsOf(entry: Entry): string[] {
  return [...new Set(entry.tags.map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

/** The tags of no articles. */
export function createTags(): Tags {
  const tags = new Map<string, { name: string; slug: string; series: Series }>();
  const namesBySlug = new Map<string, Set<string>>();
  const plainSlugs = new Map<string, string>();
  let touched = new Set<string>();

  function swap(before: Piece | undefined, after: Piece | undefined): void {
    const old = new Set(before && tagsOf(before.entry));
    const now = new Set(after && tagsOf(after.entry));
    for (const name of new Set([...old, ...now])) {
      const tag = tags.get(name) ?? add(name);
      tag.series.swap(old.has(name) ? before : undefined, now.has(name) ? after : undefined);
      touched.add(name);
    }
  }

  function add(name: string) {
    const tag = { name, slug: '', series: createSeries() };
    tags.set(name, tag);
    const plain = plainSlug(name);
    plainSlugs.set(name, plain);
    const names = namesBySlug.get(plain) ?? new Set();
    namesBySlug.set(plain, names.add(name));
    return tag;
  }

  function settle() {
    const gone: string[] = [];
    const changed: Tag[] = [];
    const moved = new Set<Tag>();
    for (const name of touched) {
      const tag = tags.get(name);
      if (tag === undefined) continue;
      if (tag.series.items.length > 0) changed.push(tag);
      else gone.push(drop(name));
    }
    const plains = new Set([...touched].map((name) => plainSlugs.get(name) ?? plainSlug(name)));
    for (const plain of plains) for (const tag of nameGroup(plain)) moved.add(tag);
    for (const name of gone) plainSlugs.delete(name);
    touched = new Set();
    return { changed, moved: [...moved], gone };
  }

  function drop(name: string): string {
    tags.delete(name);
    namesBySlug.get(plainSlugs.get(name) ?? '')?.delete(name);
    return name;
  }

  /**
   * Tags whose names make the same slug ("C" and "C++"): the one that was used first has it, the others get a
   * hash behind. So the articles alone decide, and a tag's address stays when new articles come.
   */
  function nameGroup(plain: string): Tag[] {
    const names = namesBySlug.get(plain);
    if (names?.size === 0) namesBySlug.delete(plain);
    const group = [...(names ?? [])].flatMap((name) => tags.get(name) ?? []);
    group.sort(byFirstUse);
    return group.filter((tag, index) => {
      const slug =
        index === 0 && plain !== '' ? plain : `${plain || 'tag'}-${hash('sha256', tag.name).slice(0, 8)}`;
      const moves = tag.slug !== slug;
      tag.slug = slug;
      return moves;
    });
  }

  return { get: (name) => tags.get(name), all: () => tags.values(), swap, settle };
}

function byFirstUse(a: Tag, b: Tag): number {
  const [first, other] = [a.series.items[0], b.series.items[0]];
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
