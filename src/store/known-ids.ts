import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../errors.js';
import { openLineLog } from '../fs/line-log.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog/catalog.js';
import { catalogId, type Entry } from './catalog/entry.js';
import type { ContentChange } from './catalog/scan.js';

/** The file below the state folder that has the ids and URLs of all articles, also of those that were deleted. */
export const KNOWN_IDS = 'ids.jsonl';

/**
 * A file that is older was not written by a delivery under way, in milliseconds. Such a delivery may still fail, take its
 * file back, and be sent again; that is no deletion.
 */
const SETTLED_MS = 300_000;

/** An article's id and its public URL. */
export interface KnownId {
  readonly id: string;
  readonly url: string;
}

/** The ids of all articles that were stored here, and so of those that were deleted since; see `openKnownIds`. */
export type KnownIds = Awaited<ReturnType<typeof openKnownIds>>;

export interface KnownIdsOptions {
  /** The file of known ids, absolute. */
  readonly path: string;
  readonly catalog: Pick<Catalog, 'byId' | 'entries'>;
  readonly log: Log;
  /** Whether every file in the folder is stored for good, as where a remote has it first. @default false */
  readonly isShared?: boolean;
  /** What other sources know of earlier articles; asked until they have answered once, which is not undefined. */
  readonly earlier?: () => Promise<Iterable<KnownId> | undefined>;
}

/** A line of the file; the last one of an id counts. */
type Line = KnownId | { readonly id: string; readonly forgotten: true } | typeof EARLIER;

/** Says that what other sources know of earlier articles is in the file. */
const EARLIER = { earlier: 'known' } as const;

/**
 * Knows which articles were deleted: those whose ids were written down and that the catalog does not have. A delivery that
 * is sent once more must not bring them back (contract: `data.id` is the deduplication key).
 *
 * An id is written down when its article comes, and nothing when it goes, so that no deletion is missed, also one that was
 * made while no receiver ran: when the article was stored by a delivery; for one that came otherwise, as by
 * `git pull`, at the next start, or when it goes.
 */
export async function openKnownIds(options: KnownIdsOptions) {
  const { path, catalog, log, isShared = false, earlier = async () => [] } = options;
  const lines = openLineLog(path, isLine);
  /** The URLs of all articles that were written down, by their ids in the catalog. */
  const known = new Map<string, string>();
  /** What could not be written, for the next attempt. */
  let unwritten: Line[] = [];
  /** What is about to be acknowledged, and the writing of it. */
  let adding: KnownId[] = [];
  let writing: Promise<void> | undefined;
  let isComplete = false;

  takeIn();
  const found = isComplete ? undefined : await earlier();
  if (found !== undefined) append([...found, EARLIER]);
  const missing: KnownId[] = [];
  for (const entry of catalog.entries()) {
    const { id, url } = entry;
    const before = known.get(id);
    // the catalog's own strings: there are a hundred thousand
    if (known.delete(id)) known.set(id, url);
    if (before !== url && (before !== undefined || isSettled(entry))) missing.push({ id, url });
  }
  append(missing);

  /** Whether an article that no delivery of this receiver has brought is there for good. */
  function isSettled({ id, path, fingerprint }: Entry): boolean {
    // A post of a person's without an id of Pressmark's has its path for one, which no delivery has.
    return id !== path && (isShared || Date.now() - fingerprint.mtimeMs > SETTLED_MS);
  }

  /** Reads what was written since, by this process or another. */
  function takeIn(): void {
    try {
      lines.news().forEach(learn);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, `${KNOWN_IDS} cannot be read; deleted articles may come back`);
    }
  }

  function learn(line: Line): void {
    if ('earlier' in line) isComplete = true;
    else if ('url' in line) known.set(line.id, line.url);
    else known.delete(line.id);
  }

  /** The articles are stored: where this fails, they are as safe as before, and deletions of them may be missed. */
  function append(added: readonly Line[]): void {
    added.forEach(learn);
    unwritten.push(...added);
    try {
      lines.append(unwritten);
      unwritten = [];
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        `${KNOWN_IDS} cannot be written; an article that is deleted could come back with a redelivery`,
      );
    }
  }

  /** The URL that a deleted article had; undefined if the article is there, or was never known. */
  function urlOfDeleted(id: string): string | undefined {
    if (catalog.byId(id).length > 0) return undefined;
    takeIn();
    return known.get(catalogId(id));
  }

  /** Another program has changed files of the content folder; the catalog has the changes. */
  function noteChanges(changes: readonly ContentChange[]): void {
    takeIn();
    const unknown: KnownId[] = [];
    for (const { before, after } of changes) {
      const url = after && known.get(after.id);
      if (after !== undefined && url !== undefined && url !== after.url)
        unknown.push({ id: after.id, url: after.url });
      if (before === undefined || before.id === after?.id || catalog.byId(before.id).length > 0) continue;
      if (!known.has(before.id) && isSettled(before)) unknown.push({ id: before.id, url: before.url });
    }
    if (unknown.length > 0) append(unknown);
  }

  /** Lets a deleted article be published again; durable when this resolves. */
  async function forget(id: string): Promise<void> {
    lines.append([{ id: catalogId(id), forgotten: true }]);
    await lines.sync();
    known.delete(catalogId(id));
  }

  /** An article was stored, and is about to be acknowledged. Those that one sync of their folder has stored are written together. */
  function add({ id, url }: KnownId): Promise<void> {
    adding.push({ id: catalogId(id), url });
    writing ??= nextTurn().then(writeAdded);
    return writing;
  }

  function writeAdded(): void {
    const added = adding;
    adding = [];
    writing = undefined;
    append(added);
  }

  return { add, noteChanges, urlOfDeleted, forget };
}

function isLine(value: unknown): value is Line {
  const { id, url, forgotten, earlier } = Object(value);
  return (
    earlier === EARLIER.earlier || (typeof id === 'string' && (typeof url === 'string' || forgotten === true))
  );
}
