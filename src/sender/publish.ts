import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import { messageOf, PressmarkError } from '../errors.js';
import { articlesWithoutFile, lastRefreshes, saysTheSame, withSlugOf } from './article/already-sent.js';
import { articleId, composeArticle, refuseTooLarge } from './article/compose.js';
import { type Draft, readDraft, whyUnfinished } from './article/draft.js';
import type { Connector } from './connectors.js';
import { queued } from './delivery/delivery.js';
import { type Envelope, envelopeOf } from './delivery/send-event.js';
import { type Entry, entryId } from './queue/entry.js';
import type { Queue } from './queue/queue.js';
import type { SenderState } from './state.js';

/** What became of a file on its way into the queue. */
export type Queued =
  | {
      readonly path: string;
      readonly kind: 'queued';
      readonly entry: Entry;
      /** What cannot be sent as the file has it. */
      readonly warnings: readonly string[];
    }
  /** It was queued before; `changed`: the file says something else by now. */
  | { readonly path: string; readonly kind: 'known'; readonly entry: Entry; readonly changed: boolean }
  /** Not to be published, or not possible. */
  | { readonly path: string; readonly kind: 'unfinished'; readonly why: string }
  | { readonly path: string; readonly kind: 'refused'; readonly reason: string };

/** So many files are read and stored at a time. */
const BATCH = 64;

/**
 * Queues an article for each file that is not queued yet; those that are stay as they are, so that a run that was cut
 * off is gone on with by doing it again. One that the receiver has refused and whose file has changed since is queued
 * anew.
 *
 * @param now milliseconds since the epoch.
 */
export async function* queueFiles(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  paths: readonly string[],
  now: () => number,
): AsyncIterable<Queued> {
  const refreshes = lastRefreshes(queue, connector);
  const recognise = renames(queue, connector, state, refreshes);
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths
      .slice(at, at + BATCH)
      .map((path) => recognise(prepare(state, connector, path, now())));
    const fresh = new Set(
      await queue.add(batch.flatMap((one) => (one.kind === 'queued' ? [one.entry] : []))),
    );
    for (const one of batch) {
      if (one.kind !== 'queued') yield one;
      // The first of two files with one id is the one that was stored.
      else if (fresh.delete(one.entry.id)) yield queuedOf(one);
      else yield await compare(queue, state, connector, refreshes, one);
    }
  }
}

type Prepared = Exclude<Queued, { kind: 'queued' }> | Ready;
interface Ready {
  readonly path: string;
  readonly kind: 'queued';
  readonly draft: Draft;
  readonly entry: Entry;
}

function prepare(state: SenderState, connector: Connector, path: string, now: number): Prepared {
  try {
    const draft = readDraft(path);
    const why = whyUnfinished(draft, now);
    if (why !== undefined) return { path, kind: 'unfinished', why };
    const id = articleId(draft, connector, state.dir, path);
    const timestamp = new Date(now).toISOString();
    const data = { ...composeArticle(draft, connector, id, timestamp) };
    const payload = envelopeOf('article.published', data, timestamp);
    refuseTooLarge(path, payload);
    const entry: Entry = {
      id: entryId(connector.name, id),
      connector: connector.name,
      source: relative(state.dir, path),
      liveUrl: null,
      note: null,
      mayBeStored: false,
      record: queued(connector.url, payload, now),
    };
    return { path, kind: 'queued', draft, entry };
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    return { path, kind: 'refused', reason: messageOf(error) };
  }
}

/** Recognises files that were renamed since their articles were delivered: published anew, each would stand there twice. */
function renames(
  queue: Queue,
  connector: Connector,
  { dir }: SenderState,
  refreshes: () => ReadonlyMap<string, Envelope>,
) {
  const articleOf = articlesWithoutFile(queue, connector, dir);
  return (one: Prepared): Prepared => {
    if (one.kind !== 'queued' || one.draft.id !== undefined || queue.read(one.entry.id) !== undefined)
      return one;
    const there = articleOf(one.draft);
    if (there === undefined) return one;
    const { path, draft } = one;
    const { payload } = there.record;
    const renamed = {
      ...one,
      draft: withSlugOf(payload, draft),
      entry: { ...one.entry, source: there.source },
    };
    if (!isChanged(queue, connector, refreshes, renamed, there))
      return { path, kind: 'known', entry: there, changed: false };
    const reason = `${path}: its title is that of ${there.source}, which is gone; if it is the same article, write id: ${String(payload.data.id)} into its front matter, and any other id if it is not`;
    return { path, kind: 'refused', reason };
  };
}

/** What `queueFiles` would do with these files; nothing is queued. */
export function* foresee(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  paths: readonly string[],
  now: number,
): Iterable<Queued> {
  const refreshes = lastRefreshes(queue, connector);
  const ids = new Map<string, string>();
  const recognise = renames(queue, connector, state, refreshes);
  for (const path of paths) {
    const one = recognise(prepare(state, connector, path, now));
    const there = one.kind === 'queued' ? queue.read(one.entry.id) : undefined;
    if (one.kind !== 'queued') yield one;
    else if (ids.has(one.entry.id))
      yield {
        path,
        kind: 'refused',
        reason: `${path}: ${ids.get(one.entry.id)} has the same id, ${one.draft.id}`,
      };
    else if (there === undefined) yield queuedOf(one);
    else
      yield {
        path,
        kind: 'known',
        entry: there,
        changed: isChanged(queue, connector, refreshes, one, there),
      };
    if (one.kind === 'queued') ids.set(one.entry.id, path);
  }
}

function queuedOf({ path, entry, draft }: Ready): Queued {
  return { path, kind: 'queued', entry, warnings: draft.warnings };
}

/** Whether a file says something else than what was sent last. */
function isChanged(
  queue: Queue,
  connector: Connector,
  refreshes: () => ReadonlyMap<string, Envelope>,
  { draft, entry }: Ready,
  there: Entry,
): boolean {
  if (saysTheSame(queue, draft, connector, there.record.payload)) return false;
  const refresh = refreshes().get(entry.source);
  return refresh === undefined || !saysTheSame(queue, draft, connector, refresh);
}

/** What a file is whose delivery is there already. */
async function compare(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  refreshes: () => ReadonlyMap<string, Envelope>,
  one: Ready,
): Promise<Queued> {
  const { path } = one;
  const there = queue.read(one.entry.id);
  if (there === undefined)
    return {
      path,
      kind: 'refused',
      reason: `${path}: its delivery record ${one.entry.id}.json cannot be read; fix it or move it away`,
    };
  const other = resolve(state.dir, there.source);
  if (other !== path && fs.existsSync(other))
    return { path, kind: 'refused', reason: `${path}: ${there.source} has the same id, ${one.draft.id}` };
  const { draft, entry } = one;
  const same = saysTheSame(queue, draft, connector, there.record.payload);
  if (!same && (await queue.replace(entry))) return queuedOf(one);
  return { path, kind: 'known', entry: there, changed: isChanged(queue, connector, refreshes, one, there) };
}
