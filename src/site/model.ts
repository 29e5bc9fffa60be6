import type { SiteInfo } from '../host/page-types.js';
import type { Entry } from '../store/entry.js';
import { fileOf } from './addresses.js';
import { createAuthors, createTags, type GroupChanges, type Groups } from './groups.js';
import { momentOf } from './moments.js';
import { neighboursFor } from './neighbours.js';
import { createSeries, type Piece, type Series } from './series.js';

/** What the site consists of: which article has which page, and the lists they are on. */
export interface Model {
  /** Every article that has a page. */
  readonly all: Series;
  readonly tags: Groups;
  readonly authors: Groups;
  /** The article of this file, where it has a page. */
  get(path: string): Piece | undefined;
  /** The article files that are known. */
  paths(): string[];
  /** Takes in what an article file says now; undefined where it is gone. */
  apply(path: string, entry: Entry | undefined): void;
  /** What has changed since the last call. */
  settle(): ModelChanges;
}

/** What has to be built after a number of changes. */
export interface ModelChanges {
  /** Article files whose page must be built. */
  readonly build: Set<string>;
  /** Pages that no article has any more. */
  readonly gone: Set<string>;
  /** Article files that have no page: their URL is not the site's, or another file has it. */
  readonly homeless: ReadonlyMap<string, Entry>;
  readonly tags: ListChanges;
  readonly authors: ListChanges;
}

/** What has to be built of the lists of one kind of group. */
export interface ListChanges {
  /** Names of groups with a list to build. */
  readonly names: ReadonlySet<string>;
  /** Names of groups that are no more. */
  readonly gone: readonly string[];
}

/** A site without articles. */
export function createModel(site: SiteInfo): Model {
  const pieces = new Map<string, Piece>();
  const claims = new Map<string, Piece[]>();
  const all = createSeries();
  const tags = createTags();
  const authors = createAuthors();
  let build = new Set<string>();
  let gone = new Set<string>();
  let homeless = new Map<string, Entry>();

  function apply(path: string, entry: Entry | undefined): void {
    const before = pieces.get(path);
    const after = entry && pieceOf(entry);
    homeless.delete(path);
    if (entry !== undefined && after === undefined) homeless.set(path, entry);

    const files = new Set([before?.file, after?.file].filter((file) => file !== undefined));
    const owners = new Map([...files].map((file) => [file, ownerOf(file)]));
    if (before !== undefined) unclaim(before);
    if (after !== undefined) claim(after);
    for (const file of files) change(file, owners.get(file), ownerOf(file));
    if (after !== undefined && ownerOf(after.file) !== after) homeless.set(path, after.entry);
  }

  function pieceOf(entry: Entry): Piece | undefined {
    const file = fileOf(entry.url, site);
    return file === undefined ? undefined : { entry, file, time: momentOf(entry.date)?.getTime() ?? 0 };
  }

  function claim(piece: Piece): void {
    pieces.set(piece.entry.path, piece);
    // Two files at one URL, such as a copy that a person made: the first path has the page, whoever came first.
    const others = claims.get(piece.file) ?? [];
    claims.set(
      piece.file,
      [...others, piece].sort((a, b) => (a.entry.path < b.entry.path ? -1 : 1)),
    );
  }

  function unclaim(piece: Piece): void {
    pieces.delete(piece.entry.path);
    const others = (claims.get(piece.file) ?? []).filter((other) => other !== piece);
    if (others.length === 0) claims.delete(piece.file);
    else claims.set(piece.file, others);
  }

  function ownerOf(file: string): Piece | undefined {
    return claims.get(file)?.[0];
  }

  function change(file: string, before: Piece | undefined, after: Piece | undefined): void {
    if (before === after) return;
    all.swap(before, after);
    tags.swap(before, after);
    authors.swap(before, after);
    for (const piece of [before, after]) {
      if (piece === undefined) continue;
      for (const other of neighboursFor(piece, all, tags)) build.add(other.entry.path);
    }
    if (before !== undefined) {
      build.delete(before.entry.path);
      if (pieces.get(before.entry.path) === before) homeless.set(before.entry.path, before.entry);
    }
    if (after === undefined) {
      gone.add(file);
    } else {
      gone.delete(file);
      homeless.delete(after.entry.path);
      build.add(after.entry.path);
    }
  }

  function settle(): ModelChanges {
    const [tagChanges, authorChanges] = [tags.settle(), authors.settle()];
    const lists = { tags: listsOf(tagChanges), authors: listsOf(authorChanges) };
    for (const group of [...tagChanges.moved, ...authorChanges.moved]) {
      group.series.touchAll();
      for (const piece of group.series.items) relink(piece, lists);
    }
    const changes = {
      build,
      gone,
      homeless,
      tags: { names: lists.tags, gone: tagChanges.gone },
      authors: { names: lists.authors, gone: authorChanges.gone },
    };
    [build, gone, homeless] = [new Set(), new Set(), new Map()];
    return changes;
  }

  /** An article links a group that has another address now: its page and all lists that show it change. */
  function relink(piece: Piece, lists: { tags: Set<string>; authors: Set<string> }): void {
    build.add(piece.entry.path);
    all.touch(piece);
    for (const [groups, names] of [
      [tags, lists.tags],
      [authors, lists.authors],
    ] as const) {
      for (const name of groups.namesOf(piece.entry)) {
        groups.get(name)?.series.touch(piece);
        names.add(name);
      }
    }
  }

  function get(path: string): Piece | undefined {
    const piece = pieces.get(path);
    return piece !== undefined && ownerOf(piece.file) === piece ? piece : undefined;
  }

  return { all, tags, authors, get, paths: () => [...pieces.keys()], apply, settle };
}

function listsOf({ changed, moved }: GroupChanges): Set<string> {
  return new Set([...changed, ...moved].map(({ name }) => name));
}
