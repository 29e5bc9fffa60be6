import type { Groups } from './groups.js';
import type { Piece, Series } from './series.js';

/** The other articles that an article's page shows. */
export interface Neighbours {
  readonly previous: Piece | undefined;
  readonly next: Piece | undefined;
  readonly related: readonly Piece[];
}

/** Related articles on a page. */
const MOST_RELATED = 4;

/** For each tag, how many of the articles before and after one are considered. */
const EARLIER = 4;
const LATER = 1;

/** Of an article with more tags than this, the first ones count. */
const TAGS_CONSIDERED = 8;

/**
 * The neighbours of an article. Related are articles that stand near it in the list of one of its tags: four before
 * and one after. Of these, those that share most tags come first, then the nearest in time. A look at a few places of
 * a few lists finds them, and a new article changes no pages but those that stand next to it in a list.
 */
export function neighboursOf(piece: Piece, all: Series, tags: Groups): Neighbours {
  const [previous] = all.around(piece, 1, 0);
  const [next] = all.around(piece, 0, 1);
  const near = new Set<Piece>();
  for (const tag of piece.entry.tags.slice(0, TAGS_CONSIDERED))
    for (const other of tags.get(tag)?.series.around(piece, EARLIER, LATER) ?? []) near.add(other);
  const ranked = [...near].map((other) => ({
    other,
    shared: other.entry.tags.filter((tag) => piece.entry.tags.includes(tag)).length,
    distance: Math.abs(other.time - piece.time),
  }));
  ranked.sort(
    (a, b) =>
      b.shared - a.shared || a.distance - b.distance || (a.other.entry.path < b.other.entry.path ? -1 : 1),
  );
  return { previous, next, related: ranked.slice(0, MOST_RELATED).map(({ other }) => other) };
}

/** The articles whose neighbours may be others once `piece` has come, gone or changed: the reverse of the above. */
export function* neighboursFor(piece: Piece, all: Series, tags: Groups): Generator<Piece> {
  yield* all.around(piece, 1, 1);
  for (const tag of piece.entry.tags) {
    const group = tags.get(tag);
    if (group !== undefined) yield* group.series.around(piece, LATER, EARLIER);
  }
}
