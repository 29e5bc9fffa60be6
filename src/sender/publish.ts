import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseMoment } from '../contract/moment.js';
import { messageOf, PressmarkError } from '../errors.js';
import { type AlreadySent, alreadySent, withSlugOf } from './article/already-sent.js';
import { articleId, composeArticle, whyTooLarge } from './article/compose.js';
import { type Draft, readDraft, whyUnfinished } from './article/draft.js';
import type { Connector } from './connectors.js';
import { queued } from './delivery/delivery.js';
import { envelopeOf } from './delivery/send-event.js';
import { type Entry, mayBeReplaced, newEntry } from './queue/entry.js';
import type { Queue } from './queue/queue.js';
import type { SenderState } from './state.js';

/** The result of queueing a file. */
export type Queued =
  | {
      readonly path: string;
      readonly kind: 'queued';
      readonly entry: Entry;
      readonly draft: Draft;
    }
  /** Queued before; `changed`: the file has changed since. */
  | {
      readonly path: string;
      readonly kind: 'known';
      readonly entry: Entry;
      readonly draft: Draft;
      readonly changed: boolean;
    }
  /** Not to be published, or not possible. */
  | { readonly path: string; readonly kind: 'unfinished' | 'refused'; readonly why: string };

type Ready = Extract<Queued, { kind: 'queued' }>;

/** The number of files that are stored at a time. */
const BATCH = 64;

/**
 * Queues an article for each file that is not queued yet, the oldest first. Files that are queued already are left alone, so
 * that an interrupted run can be resumed by running it again. An article that the receiver has refused is queued again if its
 * file has changed since.
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
  const sent = alreadySent(queue, connector, state.dir);
  const batch: Queued[] = [];
  for (const one of decideEach(queue, state, connector, paths, now, sent)) {
    batch.push(one);
    if (batch.length === BATCH) yield* store(queue, state, sent, batch.splice(0));
  }
  yield* store(queue, state, sent, batch);
}

/** Stores entries, and decides again if another process has changed the delivery meanwhile. */
async function* store(
  queue: Queue,
  state: SenderState,
  sent: AlreadySent,
  batch: readonly Queued[],
): AsyncIterable<Queued> {
  const fresh = await queue.add(batch.flatMap((one) => (one.kind === 'queued' ? [one.entry] : [])));
  for (const one of batch) {
    if (one.kind !== 'queued' || fresh.has(one.entry.id)) {
      yield one;
      continue;
    }
    const again = decide(one, deliveryOf(queue, one.entry.id), state, sent);
    if (again.kind !== 'queued' || (await queue.replace(one.entry))) yield again;
    else yield known(one, queue.read(one.entry.id) ?? one.entry, sent);
  }
}

/** A file that was read, or the reason why it could not be. */
type Read = { readonly path: string } & ({ readonly draft: Draft } | { readonly why: string });

/**
 * Sorts articles by date, the oldest first. They get the moment of sending as their date, so a receiver that shows the newest
 * first keeps the owner's order.
 */
function oldestFirst(paths: readonly string[], { baseUrl }: Connector): Read[] {
  const dateOf = (one: Read) => ('draft' in one ? parseMoment(one.draft.date ?? '') : Number.NaN);
  const files = paths.map((path): Read => {
    try {
      return { path, draft: readDraft(path, baseUrl) };
    } catch (error) {
      if (!(error instanceof PressmarkError)) throw error;
      return { path, why: messageOf(error) };
    }
  });
  const dated = files.filter((one) => !Number.isNaN(dateOf(one)));
  return [
    ...dated.sort((a, b) => dateOf(a) - dateOf(b)),
    ...files.filter((one) => Number.isNaN(dateOf(one))), // without a date: today's
  ];
}

/** Makes the delivery of a file. @param moment the time that it states, which may be after `now`, so that the order is kept. */
function prepare(state: SenderState, connector: Connector, read: Read, now: number, moment: number): Queued {
  const { path } = read;
  if ('why' in read) return { path, kind: 'refused', why: read.why };
  const { draft } = read;
  const unfinished = whyUnfinished(draft, now);
  if (unfinished !== undefined) return { path, kind: 'unfinished', why: unfinished };
  const id = articleId(draft, connector, state.dir, path);
  const timestamp = new Date(moment).toISOString();
  const data = { ...composeArticle(draft, connector, id, timestamp) };
  const payload = envelopeOf('article.published', data, timestamp);
  const tooLarge = whyTooLarge(payload);
  if (tooLarge !== undefined) return { path, kind: 'refused', why: tooLarge };
  const record = queued(connector.url, payload, now);
  return { path, kind: 'queued', draft, entry: newEntry(connector.name, relative(state.dir, path), record) };
}

/**
 * Recognises a file whose article was published from another file: published again, it would appear twice. If the other file is
 * gone, the file was renamed; if it still exists, the copy is not published.
 */
function recognised(one: Queued, queue: Queue, sent: AlreadySent): Queued {
  if (one.kind !== 'queued' || one.draft.id !== undefined || queue.read(one.entry.id) !== undefined)
    return one;
  const { path, draft } = one;
  const found = sent.ofOtherFile(draft);
  if (found === undefined) return one;
  const { entry, isGone } = found;
  const { payload } = entry.record;
  if (isGone && !sent.isChanged(withSlugOf(payload, draft), entry.source, entry))
    return { path, kind: 'known', entry, draft, changed: false };
  const what = isGone
    ? `its title is that of ${entry.source}, which is gone`
    : `its title and its text are those of ${entry.source}`;
  const why = `${what}; if it is the same article, write id: ${String(payload.data.id)} into its front matter, and any other id if it is not`;
  return { path, kind: 'refused', why };
}

/** Tells what `queueFiles` would do with these files, without queueing anything. */
export function dryRun(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  paths: readonly string[],
  now: () => number,
): Iterable<Queued> {
  return decideEach(queue, state, connector, paths, now, alreadySent(queue, connector, state.dir));
}

/** Decides on each file by the queue and by the files before it. */
function* decideEach(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  paths: readonly string[],
  now: () => number,
  sent: AlreadySent,
): Iterable<Queued> {
  /** The first file with each id. */
  const first = new Map<string, Entry>();
  let moment = 0;
  for (const file of oldestFirst(paths, connector)) {
    // The order in which they are sent; each gets the moment of sending later.
    moment = Math.max(now(), moment + 1);
    const one = recognised(prepare(state, connector, file, now(), moment), queue, sent);
    if (one.kind !== 'queued') {
      yield one;
      continue;
    }
    const { id } = one.entry;
    const decided = decide(one, first.get(id) ?? deliveryOf(queue, id), state, sent);
    if (decided.kind !== 'refused') first.set(id, one.entry);
    if (decided.kind === 'queued') sent.add(decided.entry);
    yield decided;
  }
}

/** The delivery of an article, if it can be read. */
function deliveryOf(queue: Queue, id: string): Entry | 'unreadable' | undefined {
  return queue.read(id) ?? (queue.has(id) ? 'unreadable' : undefined);
}

/** Decides on a file by the existing delivery of its article. */
function decide(
  one: Ready,
  there: Entry | 'unreadable' | undefined,
  { dir }: SenderState,
  sent: AlreadySent,
): Queued {
  const { path, draft, entry } = one;
  const refused = (why: string): Queued => ({ path, kind: 'refused', why });
  if (there === undefined) return one;
  if (there === 'unreadable')
    return refused(`its delivery record ${entry.id}.json cannot be read; fix it or move it away`);
  const other = resolve(dir, there.source);
  if (other !== path && fs.existsSync(other))
    return refused(`${there.source} has the same id, ${entry.record.payload.data.id}`);
  return mayBeReplaced(there) && !sent.isSame(draft, there.record.payload) ? one : known(one, there, sent);
}

/** The result for a file whose article was queued before. */
function known({ path, draft, entry }: Ready, there: Entry, sent: AlreadySent): Queued {
  return { path, kind: 'known', entry: there, draft, changed: sent.isChanged(draft, entry.source, there) };
}
