import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../errors.js';
import { openLineLog } from '../fs/line-log.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog/catalog.js';
import { catalogId, type Entry } from './catalog/entry.js';
import type { ContentChange } from './catalog/scan.js';

/** The file in the state folder with the ids and URLs of all articles, including deleted ones. */
export const KNOWN_IDS = 'ids.jsonl';

/**
 * The age in milliseconds from which a file cannot belong to an unfinished delivery. Such a delivery may still fail, take its
 * file back, and be sent again, which is no deletion.
 */
const SETTLED_MS = 300_000;

/** An article's id and its public URL. */
export interface KnownId {
  readonly id: string;
  readonly url: string;
}

/** The ids of all articles that were ever stored here, to recognise deleted ones; see `openKnownIds`. */
export type KnownIds = Awaited<ReturnType<typeof openKnownIds>>;

export interface KnownIdsOptions {
  /** The file of known ids, absolute. */
  readonly path: string;
  readonly catalog: Pick<Catalog, 'byId' | 'entries'>;
  readonly log: Log;
  /** Whether every file in the folder is final, because a remote had it first. @default false */
  readonly isShared?: boolean;
  /**
   * Returns earlier articles from other sources, or undefined if they are not known yet; called at each start until it has
   * returned a list.
   */
  earlier(): Promise<Iterable<KnownId> | undefined>;
}

/** A line of the file; the last one of an id counts. */
type Line = KnownId | { readonly id: string; readonly forgotten: true } | typeof EARLIER;

/** Marks that the earlier articles from other sources are in the file. */
const EARLIER = { earlier: 'known' } as const;

/**
 * Opens the file of known ids. An article whose id is in the file but not in the catalog was deleted, and a redelivery must not
 * bring it back (contract: `data.id` is the deduplication key).
 *
 * Ids are recorded when articles come, not when they are deleted, so that deletions while no receiver runs are not missed. The
 * id of a delivered article is recorded when it is stored; the id of an article that came in another way, such as `git pull`,
 * at the next start or when the article goes.
 */
export async function openKnownIds(options: KnownIdsOptions) {
  const { path, catalog, log, isShared = false } = options;
  const lines = openLineLog(path, isLine);
  /** The URLs of all recorded articles, by catalog id. */
  const known = new Map<string, string>();
  /** The lines that could not be written, for the next attempt. */
  let unwritten: Line[] = [];
  /** The articles that are about to be acknowledged; `writing` records them. */
  let adding: KnownId[] = [];
  let writing: Promise<void> | undefined;
  let isComplete = false;

  /** Whether an article that this receiver did not store is final. */
  function isSettled({ id, path, fingerprint }: Entry): boolean {
    // A person's post without Pressmark's id has its path as id, which no delivery uses.
    return id !== path && (isShared || Date.now() - fingerprint.mtimeMs > SETTLED_MS);
  }

  /** Reads new lines, from this process or another. */
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

  /** Appends lines. A failure is only logged: the articles are safe, but their deletion may be missed. */
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

  /** Returns the URL of a deleted article; undefined if the article exists or was never known. */
  function urlOfDeleted(id: string): string | undefined {
    if (catalog.byId(id).length > 0) return undefined;
    takeIn();
    return known.get(catalogId(id));
  }

  /** Records changes that another program made in the content folder, after the catalog was updated. */
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

  /** Allows a deleted article to be published again; durable when this resolves. */
  async function forget(id: string): Promise<void> {
    lines.append([{ id: catalogId(id), forgotten: true }]);
    await lines.sync();
    known.delete(catalogId(id));
  }

  /**
   * Records an article that is about to be acknowledged, unless it is recorded already. Articles that come at the same time are
   * written together.
   */
  async function add({ id, url }: KnownId): Promise<void> {
    if (known.get(catalogId(id)) === url) return;
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

  takeIn();
  const found = isComplete ? undefined : await options.earlier();
  if (found !== undefined) append([...found, EARLIER]);
  const missing: KnownId[] = [];
  for (const entry of catalog.entries()) {
    const { id, url } = entry;
    const before = known.get(id);
    // Share the catalog's strings, as there may be a hundred thousand.
    if (known.delete(id)) known.set(id, url);
    if (before !== url && (before !== undefined || isSettled(entry))) missing.push({ id, url });
  }
  append(missing);

  return { add, noteChanges, urlOfDeleted, forget };
}

function isLine(value: unknown): value is Line {
  const { id, url, forgotten, earlier } = Object(value);
  return (
    earlier === EARLIER.earlier || (typeof id === 'string' && (typeof url === 'string' || forgotten === true))
  );
}
