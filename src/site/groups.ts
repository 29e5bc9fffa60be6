import { hash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { compare, createSeries, type Piece, type Series } from './series.js';

/** Articles that have a name in common, such as a tag or an author. */
export interface Group {
  readonly name: string;
  /** The segment of its page's address. */
  readonly slug: string;
  /** The path of its page. */
  readonly address: string;
  readonly series: Series;
}

/** All groups of one kind; see `createGroups`. */
export interface Groups {
  /** The names of the groups that an article is in, each once. */
  namesOf(piece: Piece): readonly string[];
  get(name: string): Group | undefined;
  /** The group whose address has this segment. */
  at(slug: string): Group | undefined;
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
  /** Groups whose address is another than before; every page that links them must be built anew. */
  readonly moved: readonly Group[];
  /** Where groups stood that have moved or are no more, and how many articles they had when that was last asked. */
  readonly left: readonly { readonly address: string; readonly count: number }[];
  /** Names of groups that are new. */
  readonly come: readonly string[];
  /** Names of groups that have no article any more. */
  readonly gone: readonly string[];
}

const LONGEST_SLUG = 80;

/** The tags of no articles. */
export function createTags(): Groups {
  return createGroups('/tags/', ({ entry }) => entry.tags, 'tag');
}

/** The authors of no articles. */
export function createAuthors(): Groups {
  const namesOf = ({ entry }: Piece) => (entry.author === '' ? [] : [entry.author]);
  return createGroups('/authors/', namesOf, 'author');
}

type OwnGroup = { -readonly [key in keyof Group]: Group[key] };

/**
 * @param folder the path below which the groups' pages stand.
 * @param word the slug of a name of which no letter is left.
 */
function createGroups(folder: string, namesOf: (piece: Piece) => readonly string[], word: string): Groups {
  const groups = new Map<string, OwnGroup>();
  const bySlug = new Map<string, OwnGroup>();
  const namesBySlug = new Map<string, Set<string>>();
  const plainSlugs = new Map<string, string>();
  let touched = new Set<string>();

  function swap(before: Piece | undefined, after: Piece | undefined): void {
    const old = before === undefined ? [] : namesOf(before);
    const now = after === undefined ? [] : namesOf(after);
    for (const name of now) swapIn(name, old.includes(name) ? before : undefined, after);
    for (const name of old) if (!now.includes(name)) swapIn(name, before, undefined);
  }

  function swapIn(name: string, before: Piece | undefined, after: Piece | undefined): void {
    const group = groups.get(name) ?? add(name);
    group.series.swap(before, after);
    touched.add(name);
  }

  function add(name: string) {
    const group: OwnGroup = { name, slug: '', address: '', series: createSeries() };
    groups.set(name, group);
    const plain = plainSlug(name);
    plainSlugs.set(name, plain);
    const names = namesBySlug.get(plain) ?? new Set();
    namesBySlug.set(plain, names.add(name));
    return group;
  }

  function settle(): GroupChanges {
    const changed: OwnGroup[] = [];
    const gone: OwnGroup[] = [];
    for (const name of touched) {
      const group = groups.get(name);
      if (group !== undefined) (group.series.items.length > 0 ? changed : gone).push(group);
    }
    const plains = new Set([...touched].map((name) => plainSlugs.get(name) ?? plainSlug(name)));
    touched = new Set();
    for (const group of gone) drop(group);
    const addressed = [...plains].flatMap(namesakes);
    const moved = addressed.filter(({ from }) => from !== '');
    const come = addressed.filter(({ from }) => from === '');
    const left = [...moved, ...gone.map((group) => ({ group, from: group.address }))];
    return {
      changed,
      moved: moved.map(({ group }) => group),
      left: left.map(({ group, from }) => ({ address: from, count: group.series.countBefore() })),
      come: come.map(({ group }) => group.name),
      gone: gone.filter(({ address }) => address !== '').map(({ name }) => name),
    };
  }

  function drop(group: OwnGroup): void {
    const { name } = group;
    const plain = plainSlugs.get(name) ?? '';
    const names = namesBySlug.get(plain);
    names?.delete(name);
    if (names?.size === 0) namesBySlug.delete(plain);
    groups.delete(name);
    plainSlugs.delete(name);
    if (bySlug.get(group.slug) === group) bySlug.delete(group.slug);
  }

  /**
   * Groups whose names make the same slug ("C" and "C++"): the one that was used first has it, the others get a
   * hash behind. So the articles alone decide, and a group's address stays when new articles come.
   *
   * @returns those whose slug is another now, and their addresses before.
   */
  function namesakes(plain: string): { group: OwnGroup; from: string }[] {
    const open = new Set<OwnGroup>();
    let first: OwnGroup | undefined;
    for (const name of namesBySlug.get(plain) ?? []) {
      const group = groups.get(name);
      if (group === undefined) continue;
      if (plain !== '' && (first === undefined || byFirstUse(group, first) < 0)) first = group;
      // One that has a hash has it for good, unless it is the first now.
      if (group.slug === '' || group.slug === plain) open.add(group);
    }
    if (first !== undefined) open.add(first);
    const moved = [...open].flatMap((group) => {
      const slug = group === first ? plain : `${plain || word}-${hash('sha256', group.name).slice(0, 8)}`;
      if (group.slug === slug) return [];
      const from = group.address;
      if (bySlug.get(group.slug) === group) bySlug.delete(group.slug);
      group.slug = slug;
      group.address = `${folder}${slug}/`;
      return [{ group, from }];
    });
    for (const { group } of moved) bySlug.set(group.slug, group);
    return moved;
  }

  return {
    namesOf,
    get: (name) => groups.get(name),
    at: (slug) => bySlug.get(slug),
    all: () => groups.values(),
    swap,
    settle,
  };
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
