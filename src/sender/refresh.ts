import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { relative } from 'node:path';
import { canonicalUrl } from '../contract/canonical-url.js';
import { messageOf, PressmarkError, quote } from '../errors.js';
import { publicationTimes } from './article/already-sent.js';
import { articleId, composeUpdate, whyTooLarge } from './article/compose.js';
import { type Draft, readDraft, whyUnfinished } from './article/draft.js';
import type { Clock } from './clock.js';
import type { Connector } from './connectors.js';
import { type Checked, checkLookup, checkTest } from './delivery/answer-checks.js';
import { attempt } from './delivery/attempt.js';
import { queued } from './delivery/delivery.js';
import { envelopeOf, postEvent, sendTest } from './delivery/send-event.js';
import type { Reply } from './delivery/transport.js';
import { deliveredBefore, reasonToKeep } from './last-delivered.js';
import { noteOutcome, notePause, pauseOf } from './pause.js';
import { type Entry, entryId, newEntry } from './queue/entry.js';
import type { Queue } from './queue/queue.js';
import type { SenderState } from './state.js';

/** The inputs of a refresh. */
export interface Refresh {
  readonly state: SenderState;
  readonly queue: Queue;
  readonly connector: Connector;
  /** The article's public URL. */
  readonly url: string;
  /** The Markdown file that replaces it. */
  readonly path: string;
  readonly clock: Clock;
  /** Replaces the article even if it differs from the last delivery from here. @default false */
  readonly force?: boolean | undefined;
}

/**
 * Replaces an article: test, lookup, update, in this order and each of them fresh. The update is a delivery like any other: it
 * is retried after a failure, unless the article has changed since the lookup. An article that differs from the last delivery
 * from here is replaced only with `force`. The reason why a refresh stops is recorded with the article's delivery (contract:
 * States and transitions).
 *
 * @returns the delivery after its first attempt.
 * @throws PressmarkError RECEIVER_REFUSED naming the rule that stopped it before anything was sent; UNREACHABLE; USAGE;
 *   ARTICLE_FILE_INVALID; QUEUE_FAILED.
 */
export async function refresh(what: Refresh): Promise<Entry> {
  const { state, queue, connector, url, path } = what;
  if (canonicalUrl(url) === undefined)
    throw new PressmarkError(
      'USAGE',
      `${quote(url, 200)} is not an absolute http(s) URL without credentials`,
    );
  const draft = draftOf(path, connector);
  const file = fs.realpathSync(path);
  try {
    return await sendRefresh(what, draft, file);
  } catch (error) {
    if (error instanceof PressmarkError && ['RECEIVER_REFUSED', 'UNREACHABLE'].includes(error.code)) {
      const own = entryId(connector.name, articleId(draft, connector, state.dir, file));
      await queue.refuse(connector.name, url, own, error.message);
    }
    throw error;
  }
}

async function sendRefresh(
  { state, queue, connector, url, path, clock, force = false }: Refresh,
  draft: Draft,
  file: string,
) {
  const unfinished = whyUnfinished(draft, clock.now());
  if (unfinished !== undefined) throw refused(`${path} is left out: ${unfinished}`);
  const pause = pauseOf(state, connector.url, clock.now());
  if (pause !== undefined)
    throw refused(
      `nothing is sent to the receiver until ${pause.until} (${pause.why})`,
      'pressmark connect ends that sooner',
    );

  /** The content of a checked answer. A refused one may also ask for a pause. */
  async function accept<T>(reply: Reply, checked: Checked<T>, what: string): Promise<T> {
    if ('value' in checked) return checked.value;
    await notePause(state, connector.url, reply, clock.now());
    throw refused(`${what}: ${checked.refusal}`);
  }
  const tested = await sendTest(connector, clock.now());
  const { noRefresh } = await accept(tested, checkTest(tested), 'the connection test failed');
  if (noRefresh !== undefined) throw refused(noRefresh);
  const found = await lookUp(connector, url, clock.now());
  const target = await accept(found, checkLookup(found, url), 'the answer to the lookup is not accepted');
  const reason = force
    ? undefined
    : reasonToKeep(deliveredBefore(queue, connector, target), target, state, file);
  if (reason !== undefined) throw refused(reason, '--force replaces the article all the same');

  const now = clock.now();
  const timestamp = new Date(now).toISOString();
  const published = publicationTimes(queue, connector)(target);
  const draftId = `refresh-${randomUUID()}`;
  const data = { ...composeUpdate(draft, connector, target, draftId, timestamp, published) };
  const payload = envelopeOf('article.updated', data, timestamp);
  const tooLarge = whyTooLarge(payload);
  if (tooLarge !== undefined) throw new PressmarkError('ARTICLE_FILE_INVALID', `${path}: ${tooLarge}`);
  const source = relative(state.dir, file); // as `publish` names it
  const made = newEntry(connector.name, source, queued(connector.url, payload, now));
  const entry: Entry = { ...made, liveUrl: target.url };
  await queue.add([entry]);
  const taken = await queue.take(entry.id);
  // Another worker was faster; its result is in the queue.
  if (taken === undefined) return queue.read(entry.id) ?? entry;
  const began = clock.now();
  const outcome = await attempt(taken.record, connector, began, true);
  const settled = await queue.settle(taken, outcome);
  await noteOutcome(state, connector.url, outcome, began, clock.now());
  return settled ?? queue.read(entry.id) ?? taken;
}

function draftOf(path: string, { baseUrl }: Connector): Draft {
  try {
    return readDraft(path, baseUrl);
  } catch (cause) {
    throw new PressmarkError('ARTICLE_FILE_INVALID', `${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Looks up an article by its public URL (contract: article.lookup). */
function lookUp(connector: Connector, url: string, sentAt: number): Promise<Reply> {
  const timestamp = new Date(sentAt).toISOString();
  return postEvent(connector, envelopeOf('article.lookup', { target_url: url }, timestamp), { sentAt });
}

function refused(why: string, fix?: string): PressmarkError {
  const end = fix === undefined ? '' : `; ${fix}`;
  return new PressmarkError('RECEIVER_REFUSED', `the refresh stops: ${why}; nothing was changed${end}`);
}
