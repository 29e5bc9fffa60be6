import type { SiteInfo } from '../host/page-types.js';
import { fileOf } from './addresses.js';
import { createAuthors, createTags, type Group, type GroupChanges, type Groups } from './groups.js';
import type { IndexEntry } from './index-entry.js';
import { timeOf } from './moments.js';
import { neighboursFor } from './neighbours.js';
import { createSeries, type Piece, type Series } from './series.js';

/** What the site consists of: which article has which page, and the lists they are on. */
export interface Model {
  /** Every article that has a page. */
  readonly all: Series;
  readonly tags: Groups;
  readonly authors: Groups;
  /** The article whose page stands in this file of the output. */
  at(file: string): Piece | undefined;
  /** What was last taken in of an article file, whether or not it has a page. */
  entryAt(path: string): IndexEntry | undefined;
  /** All of these. */
  entries(): Generator<IndexEntry>;
  /** Takes in what an article file says now; undefined where it is gone. */
  apply(path: string, entry: IndexEntry | undefined): void;
  /** Takes in the same where all pages show it already. */
  learn(path: string, entry: IndexEntry | undefined): void;
  /** What has changed since the last call. */
  settle(): ModelChanges;
}

/** What has to be built after a number of changes. The lists tell by themselves; see `Series`. */
export interface ModelChanges {
  /** Pages of articles that may look different, or that no article has any more. */
  readonly files: ReadonlySet<string>;
  readonly tags: GroupChanges;
  readonly authors: GroupChanges;
  /** Groups whose lists may look different. */
  readonly lists: ReadonlySet<Group>;
  /** Articles that have no page: their URL is not the site's, or another file has it. */
  readonly homeless: readonly IndexEntry[];
}

/** A site without articles. */
export function createModel(site: SiteInfo): Model {
  const pieces = new Map<string, Piece>();
  /** Articles whose URL is none of the site's. */
  const strangers = new Map<string, IndexEntry>();
  const claims = new Map<string, Piece | Piece[]>();
  const all = createSeries();
  const tags = createTags();
  const authors = createAuthors();
  let files = new Set<string>();
  let homeless = new Map<string, IndexEntry>();

  function apply(path: string, entry: IndexEntry | undefined, isShown = false): void {
    const before = pieces.get(path);
    const after = entry && pieceOf(entry, site);
    homeless.delete(path);
    strangers.delete(path);
    if (before === undefined && after !== undefined && !claims.has(after.file)) {
      // as nearly every one is when a site is read
      claim(after);
      change(after.file, undefined, after, isShown);
      return;
    }
    if (entry !== undefined && after === undefined) {
      homeless.set(path, entry);
      strangers.set(path, entry);
    }
    const places = new Set([before?.file, after?.file].filter((file) => file !== undefined));
    const owners = new Map([...places].map((file) => [file, at(file)]));
    if (before !== undefined) unclaim(before);
    if (after !== undefined) claim(after);
    for (const file of places) change(file, owners.get(file), at(file), isShown);
    if (after !== undefined && at(after.file) !== after) homeless.set(path, after.entry);
  }

  function claim(piece: Piece): void {
    pieces.set(piece.entry.path, piece);
    const others = claimants(piece.file);
    // Two files at one URL, such as a copy that a person made: the first path has the page, whoever came first.
    const both = [...others, piece].sort((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
    claims.set(piece.file, others.length === 0 ? piece : both);
  }

  function unclaim(piece: Piece): void {
    pieces.delete(piece.entry.path);
    const [first, ...rest] = claimants(piece.file).filter((other) => other !== piece);
    if (first === undefined) claims.delete(piece.file);
    else claims.set(piece.file, rest.length === 0 ? first : [first, ...rest]);
  }

  function claimants(file: string): readonly Piece[] {
    const found = claims.get(file);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  }

  function at(file: string): Piece | undefined {
    const found = claims.get(file);
    return Array.isArray(found) ? found[0] : found;
  }

  function change(file: string, before: Piece | undefined, after: Piece | undefined, isShown: boolean): void {
    if (before === after) return;
    all.swap(before, after);
    tags.swap(before, after);
    authors.swap(before, after);
    if (!isShown) {
      files.add(file);
      for (const piece of [before, after]) {
        if (piece === undefined) continue;
        for (const other of neighboursFor(piece, all, tags)) files.add(other.file);
      }
    }
    if (before !== undefined && pieces.get(before.entry.path) === before)
      homeless.set(before.entry.path, before.entry);
    if (after !== undefined) homeless.delete(after.entry.path);
  }

  function settle(): ModelChanges {
    const [ofTags, ofAuthors] = [tags.settle(), authors.settle()];
    const moved = [...ofTags.moved, ...ofAuthors.moved];
    const lists = new Set([...ofTags.changed, ...ofAuthors.changed, ...moved]);
    for (const group of moved) {
      group.series.touchAll();
      for (const piece of group.series.items) for (const other of relink(piece)) lists.add(other);
    }
    const changes = { files, tags: ofTags, authors: ofAuthors, lists, homeless: [...homeless.values()] };
    [files, homeless] = [new Set(), new Map()];
    return changes;
  }

  /** An article links a group that has another address now: its page and all lists that show it change. */
  function relink(piece: Piece): Group[] {
    files.add(piece.file);
    all.touch(piece);
    const groups = [tags, authors].flatMap((kind) =>
      kind.namesOf(piece).flatMap((name) => kind.get(name) ?? []),
    );
    for (const { series } of groups) series.touch(piece);
    return groups;
  }

  function* entries(): Generator<IndexEntry> {
    for (const { entry } of pieces.values()) yield entry;
    yield* strangers.values();
  }

  const entryAt = (path: string) => pieces.get(path)?.entry ?? strangers.get(path);
  return {
    all,
    tags,
    authors,
    at,
    entryAt,
    entries,
    apply: (path, entry) => apply(path, entry),
    learn: (path, entry) => apply(path, entry, true),
    settle,
  };
}

/** An article as lists hold it; undefined where its URL is none of this site's pages. */
function pieceOf(entry: IndexEntry, site: SiteInfo): Piece | undefined {
  const file = fileOf(entry.url, site);
  if (file === undefined) return undefined;
  const published = timeOf(entry.date);
  const modified = entry.updated === null ? published : timeOf(entry.updated);
  return { entry, file, time: published ?? 0, modified };
}
