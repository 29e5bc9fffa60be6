import { within } from '../../time-limit.js';
import { blobsInHistory, isAncestor, joinBlobs, type PathBlobs } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';

/** The result of a search, as far as it has come in time. */
export interface PathHistory {
  /** Every blob that the history ever had at the paths. */
  readonly committed: PathBlobs;
  /** The paths of which that is not known yet, and when it will be. */
  readonly later: ReadonlyMap<string, Promise<unknown>>;
}

/** A search of one file that took too long to be waited for. */
interface LongSearch {
  readonly commit: string;
  readonly over: Promise<unknown>;
  /** Its result. */
  committed: PathBlobs | undefined;
}

/** How long a batch waits for a search, in milliseconds: it may take minutes, and other files have commits to get. */
const WAIT_MS = 3_000;
/** The results of so many long searches are kept, each until its file has changed the history again. */
const MAX_KEPT = 100;

/** Searches the history for every blob that some paths have had; a long search continues while batches are committed. */
export function createPathHistory(repository: Repository, waitMs = WAIT_MS) {
  const searches = new Map<string, LongSearch>();

  return async (commit: string, paths: readonly string[]): Promise<PathHistory> => {
    const committed: PathBlobs[] = [];
    const later = new Map<string, Promise<unknown>>();
    const unknown: string[] = [];
    for (const path of paths) {
      const search = searches.get(path);
      if (search !== undefined && search.committed === undefined) later.set(path, search.over);
      else if (search?.committed !== undefined && (await isAncestor(repository, search.commit, commit))) {
        committed.push(search.committed, await blobsInHistory(repository, commit, [path], search.commit));
      } else unknown.push(path);
    }
    if (unknown.length === 0) return { committed: joinBlobs(committed), later };
    const search = blobsInHistory(repository, commit, unknown);
    const found = await within(waitMs, search, () => undefined);
    if (found !== undefined) return { committed: joinBlobs([...committed, found]), later };
    const over = search.then(
      (result) => keep(commit, unknown, result),
      // the next batch with these files searches again, or fails
      () => {
        for (const path of unknown) searches.delete(path);
      },
    );
    for (const path of unknown) {
      searches.set(path, { commit, over, committed: undefined });
      later.set(path, over);
    }
    return { committed: joinBlobs(committed), later };
  };

  function keep(commit: string, paths: readonly string[], committed: PathBlobs): void {
    for (const path of paths) {
      const own = new Map([[path, committed.get(path) ?? new Set<string>()]]);
      searches.delete(path);
      searches.set(path, { commit, over: Promise.resolve(), committed: own });
    }
    for (const [path, search] of searches) {
      if (searches.size <= MAX_KEPT) break;
      if (search.committed !== undefined) searches.delete(path);
    }
  }
}
