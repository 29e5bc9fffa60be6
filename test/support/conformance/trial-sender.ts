import { createHmac } from 'node:crypto';
import http from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { DeliveryRecord, SenderDriver } from '../../../src/conformance/sender/driver.js';
import { article } from '../events.js';
import { CAPABILITIES } from './receiver.js';

type Json = Record<string, unknown>;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

interface Trial {
  readonly event: string;
  readonly url: string;
  envelope: Json;
  status: 'pending' | 'success' | 'failed';
  attempts: number;
  dueAt: number;
  firstAt: number;
  lastStatusCode: number | null;
  lastError: string | null;
}

const MINUTE = 60_000;

/** What a sender does at each place where it can go wrong; the values here are right. */
const RIGHT = {
  /** The body’s bytes, and what is signed. */
  write: (envelope: Json): string => JSON.stringify(envelope),
  sign: (body: string, secret: string): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  envelope: (envelope: Json): Json => envelope,
  headers: (headers: Record<string, string>, _event: string): Record<string, string> => headers,
  method: (_event: string, _isFollowed: boolean): string => 'POST',
  /** Which moment a retry states. */
  sentAt: (now: number, _firstAt: number): number => now,
  /** The payload of an attempt after the first. */
  retried: (envelope: Json, _now: number): Json => envelope,
  waits: [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE) as readonly number[],
  attempts: 6,
  stuckMs: 10 * MINUTE,
  /** Whether its time jumps to a moment, as a clock that is set does, and what has become due is only sent then. */
  timeJumps: false,
  timeoutMs: (event: string): number => (/published|updated/.test(event) ? 30_000 : 15_000),
  redirects: (event: string): number => (event === 'article.published' ? 1 : 0),
  testsOnConnect: true,
  testsRefresh: (_nth: number): boolean => true,
  testsRetry: true,
  /** Whether a publish has landed. */
  landed: ({ status }: Reply): boolean => status >= 200 && status <= 299,
  /** Whether a failed attempt is the last. */
  isFinal: (event: string, status: number | undefined): boolean =>
    event === 'article.updated' && status === 409,
  isTestRight: (reply: Reply): boolean => {
    const { received, contract_version, capabilities } = jsonOf(reply);
    const all = Array.isArray(capabilities) && capabilities.length === 3;
    return received === true && (contract_version === 2 || contract_version === 3) && all;
  },
  isLookupRight: (reply: Reply, url: string): boolean => {
    const { target } = jsonOf(reply);
    const fields = Object.values(Object(target));
    return Object(target).url === url && fields.length >= 5 && fields.every((value) => value !== '');
  },
  /** What the lookup reported. */
  targetOf: (reply: Reply, _url: string): Json => Object(jsonOf(reply).target),
  isUpdateRight: (reply: Reply, revision: unknown): boolean => jsonOf(reply).revision_id === revision,
  /** Where a delivery goes after the connector was edited; undefined where it is refused. */
  urlAfterEdit: (event: string, queuedFor: string, _edited: string): string | undefined =>
    event === 'article.updated' ? undefined : queuedFor,
  targetUrl: (url: string): string => url,
  draftId: (count: number): string => `draft-${count}`,
  record: (record: DeliveryRecord): DeliveryRecord => record,
};

/** What a sender does otherwise. */
export type Faults = Partial<typeof RIGHT>;

/** An answer’s JSON; nothing of one that is too large, no success, or no JSON. */
function jsonOf({ status, text }: Reply): Json {
  if (status < 200 || status > 299 || text.length > 1_000_000) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * A sender in memory, with a time of its own that passes only where it waits. It shares nothing with Pressmark's.
 *
 * @returns the driver, and what is to be called when it gets no answer.
 */
export function trialSender(faults: Faults = {}): SenderDriver & { held(): void } {
  const does = { ...RIGHT, ...faults };
  const deliveries: Trial[] = [];
  let now = Date.parse('2026-11-19T08:00:00Z');
  let connected = { url: '', secret: '' };
  let current: { readonly event: string; readonly abort: AbortController } | undefined;
  let isKilled = false;
  let heldCount = 0;
  let refreshCount = 0;
  let count = 0;

  const envelopeOf = (event: string, data: Json): Json => {
    const timestamp = new Date(now).toISOString();
    const version = event === 'article.published' ? {} : { contract_version: 2 };
    const dated = 'published_at' in data ? { ...data, published_at: timestamp } : data;
    return does.envelope({ event, timestamp, ...version, data: dated });
  };

  function once(event: string, url: string, body: string, firstAt: number, isFollowed: boolean) {
    const abort = new AbortController();
    current = { event, abort };
    const method = does.method(event, isFollowed);
    const headers = does.headers(
      {
        'Content-Type': 'application/json',
        'X-Service-Signature': does.sign(body, connected.secret),
        'X-Service-Event': event,
        'X-Service-Timestamp': String(Math.floor(does.sentAt(now, firstAt) / 1000)),
        ...(event !== 'article.published' && { 'X-Service-Contract': '2' }),
      },
      event,
    );
    return new Promise<Reply | undefined>((resolve) => {
      const fail = () => resolve(undefined);
      // A connection of its own: one that was kept may end in this moment, and that is no answer of the receiver.
      const options = { method, headers, agent: false, signal: abort.signal };
      const request = http.request(url, options, (response) => {
        const { statusCode: status = 0, headers: got } = response;
        textOf(response).then((text) => resolve({ status, text, location: got.location ?? null }), fail);
      });
      request.on('error', fail);
      request.end(method === 'GET' ? undefined : body);
    });
  }

  async function post(event: string, url: string, envelope: Json, firstAt = now): Promise<Reply | undefined> {
    const body = does.write(envelope);
    let at = url;
    let reply = await once(event, at, body, firstAt, false);
    for (let left = does.redirects(event); left > 0 && reply?.status === 307; left--) {
      at = new URL(reply.location ?? '', at).href;
      reply = await once(event, at, body, firstAt, true);
    }
    return reply;
  }

  async function isTested(): Promise<boolean> {
    const data = { id: `test-${++count}`, message: 'A test', capabilities: CAPABILITIES };
    const reply = await post('webhook.test', connected.url, envelopeOf('webhook.test', data));
    return reply !== undefined && does.isTestRight(reply);
  }

  async function attempt(delivery: Trial, isTestedBefore = false): Promise<void> {
    const { event } = delivery;
    const url =
      delivery.url === connected.url ? connected.url : does.urlAfterEdit(event, delivery.url, connected.url);
    if (url === undefined) {
      Object.assign(delivery, { status: 'failed', lastError: 'refused' });
      return;
    }
    if (delivery.attempts > 0) delivery.envelope = does.retried(delivery.envelope, now);
    const mayBeSent =
      event === 'article.published' || isTestedBefore || !does.testsRetry || (await isTested());
    const reply = mayBeSent ? await post(event, url, delivery.envelope, delivery.firstAt) : undefined;
    if (isKilled) {
      isKilled = false;
      delivery.dueAt = now + does.stuckMs;
      return;
    }
    delivery.attempts++;
    delivery.lastStatusCode = reply?.status ?? null;
    const revision = Object(delivery.envelope.data).revision_id;
    const landed =
      reply !== undefined &&
      (event === 'article.published' ? does.landed(reply) : does.isUpdateRight(reply, revision));
    const wait = does.waits[delivery.attempts - 1] ?? 6 * 60 * MINUTE;
    if (landed) Object.assign(delivery, { status: 'success', lastError: null });
    else {
      const isOver = delivery.attempts >= does.attempts || does.isFinal(event, reply?.status);
      const lastError = [...(reply?.text ?? 'no answer')].slice(0, 200).join('');
      Object.assign(delivery, { status: isOver ? 'failed' : 'pending', lastError, dueAt: now + wait });
    }
  }

  async function deliver(event: string, data: Json, isTestedBefore = false): Promise<void> {
    const made: Trial = {
      ...{ event, url: connected.url, envelope: envelopeOf(event, data), status: 'pending', attempts: 0 },
      ...{ dueAt: now, firstAt: now, lastStatusCode: null, lastError: null },
    };
    deliveries.push(made);
    await attempt(made, isTestedBefore);
  }

  async function refresh(url: string): Promise<void> {
    if (does.testsRefresh(++refreshCount) && !(await isTested())) return;
    const asked = envelopeOf('article.lookup', { target_url: does.targetUrl(url) });
    const reply = await post('article.lookup', connected.url, asked);
    if (reply === undefined || !does.isLookupRight(reply, url)) return;
    const { id, url: found, revision_id } = does.targetOf(reply, url);
    const draft = does.draftId(++count);
    const target_url = String(found).replace(/\/$/, '');
    const target = { target_id: id, target_url, base_revision_id: revision_id, revision_id: draft };
    await deliver('article.updated', { ...article({ id: draft }), ...target }, true);
  }

  const recordOf = ({ envelope, dueAt, url, ...columns }: Trial): DeliveryRecord => {
    const { status, attempts, lastStatusCode, lastError } = columns;
    return does.record({
      article: Object(envelope.data).id,
      ...{ url, status, attempts, lastStatusCode, lastError },
      nextRetryAt: status === 'pending' ? new Date(dueAt).toISOString() : null,
    });
  };

  return {
    now: () => now,
    held: () => {
      heldCount++;
      now += does.timeoutMs(current?.event ?? '');
      current?.abort.abort();
    },
    take: async (step, seen) => {
      const heldBefore = heldCount;
      now += 1000;
      if (step.kind === 'connect') {
        connected = step;
        if (does.testsOnConnect) await isTested();
      }
      if (step.kind === 'publish')
        for (let n = 0; n < step.count; n++) {
          const id = `article-${++count}`;
          const html = `<p>The text of ${id}: it’s “new”.</p>\n<!-- svc:item:${id} -->`;
          await deliver('article.published', { ...article({ id, slug: id, content_html: html }) });
        }
      if (step.kind === 'refresh') await refresh(step.url);
      if (step.kind === 'kill') {
        isKilled = true;
        current?.abort.abort();
      }
      // The receiver has to see the end of a connection before the time moves on.
      if (heldCount > heldBefore || step.kind === 'kill') await seen;
    },
    passTo: async (moment) => {
      if (does.timeJumps) now = Math.max(now, moment);
      for (;;) {
        const due = deliveries
          .filter(({ status, dueAt }) => status === 'pending' && dueAt <= moment)
          .sort((a, b) => a.dueAt - b.dueAt)[0];
        if (due === undefined) break;
        now = Math.max(now, due.dueAt);
        await attempt(due);
      }
      now = Math.max(now, moment);
    },
    records: async () => deliveries.map(recordOf),
  };
}
