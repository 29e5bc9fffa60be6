import { hash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import type { Entry } from '../store/entry.js';
import { compare, createSeries, type Piece, type Series } from './series.js';

/** Articles that have a name in common, such as a tag or an author. */
export interface Group {
  readonly name: string;
  /** The segment of its page's address. */
  readonly slug: string;
  readonly series: Series;
}

/** All groups of one kind; see `createGroups`. */
export interface Groups {
  /** The names of the groups that an article is in, each once. */
  namesOf(entry: Entry): readonly string[];
  get(name: string): Group | undefined;
  all(): IterableIterator<Group>;
  /** Takes `before` out of its groups and `after` into its own. */
  swap(before: Piece | undefined, after: Piece | undefined): void;
  /** Gives slugs after a number of swaps. */
  settle(): GroupChanges;
}

/** What has become of the groups of one kind. */
export interface GroupChanges {
  /** Groups whose articles have changed. */
  readonly changed: readonly Group[];
  /** Groups whose address is another now; every page that links them must be built anew. */
  readonly moved: readonly Group[];
  /** Names of groups that have no article any more. */
  readonly gone: readonly string[];
}

const LONGEST_SLUG = 80;

/** An article's tags as pages show them: trimmed, each once, no empty ones. */
export function tagsOf(entry: Entry): string[] {
  return [...new Set(entry.tags.map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

/** An article's author as pages show it. */
export function authorOf(entry: Entry): string {
  return entry.author.trim();
}

/** The tags of no articles. */
export function createTags(): Groups {
  return createGroups(tagsOf, 'tag');
}

/** The authors of no articles. */
export function createAuthors(): Groups {
  return createGroups((entry) => [authorOf(entry)].filter((name) => name !== ''), 'author');
}

/** @param word the slug of a name of which no letter is left. */
function createGroups(namesOf: (entry: Entry) => readonly string[], word: string): Groups {
  const groups = new Map<string, { name: string; slug: string; series: Series }>();
  const namesBySlug = new Map<string, Set<string>>();
  const plainSlugs = new Map<string, string>();
  let touched = new Set<string>();

  function swap(before: Piece | undefined, after: Piece | undefined): void {
    const old = new Set(before && namesOf(before.entry));
    const now = new Set(after && namesOf(after.entry));
    for (const name of new Set([...old, ...now])) {
      const group = groups.get(name) ?? add(name);
      group.series.swap(old.has(name) ? before : undefined, now.has(name) ? after : undefined);
      touched.add(name);
    }
  }

  function add(name: string) {
    const group = { name, slug: '', series: createSeries() };
    groups.set(name, group);
    const plain = plainSlug(name);
    plainSlugs.set(name, plain);
    const names = namesBySlug.get(plain) ?? new Set();
    namesBySlug.set(plain, names.add(name));
    return group;
  }

  function settle(): GroupChanges {
    const gone: string[] = [];
    const changed: Group[] = [];
    const moved = new Set<Group>();
    for (const name of touched) {
      const group = groups.get(name);
      if (group === undefined) continue;
      if (group.series.items.length > 0) changed.push(group);
      else gone.push(drop(name));
    }
    const plains = new Set([...touched].map((name) => plainSlugs.get(name) ?? plainSlug(name)));
    for (const plain of plains) for (const group of namesakes(plain)) moved.add(group);
    for (const name of gone) plainSlugs.delete(name);
    touched = new Set();
    return { changed, moved: [...moved], gone };
  }

  function drop(name: string): string {
    groups.delete(name);
    namesBySlug.get(plainSlugs.get(name) ?? '')?.delete(name);
    return name;
  }

  /**
   * Groups whose names make the same slug ("C" and "C++"): the one that was used first has it, the others get a
   * hash behind. So the articles alone decide, and a group's address stays when new articles come.
   *
   * @returns those whose slug is another now.
   */
  function namesakes(plain: string): Group[] {
    const names = namesBySlug.get(plain);
    if (names?.size === 0) namesBySlug.delete(plain);
    const all = [...(names ?? [])].flatMap((name) => groups.get(name) ?? []);
    all.sort(byFirstUse);
    return all.filter((group, index) => {
      const slug =
        index === 0 && plain !== '' ? plain : `${plain || word}-${hash('sha256', group.name).slice(0, 8)}`;
      const moves = group.slug !== slug;
      group.slug = slug;
      return moves;
    });
  }

  return { namesOf, get: (name) => groups.get(name), all: () => groups.values(), swap, settle };
}

function byFirstUse(a: Group, b: Group): number {
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
