import { setTimeout as pause } from 'node:timers/promises';
import type { EventName } from '../../contract/limits.js';
import { headerNames } from '../../contract/service.js';
import { sign } from '../../contract/signature.js';
import type { Clock } from '../../sender/clock.js';
import { timeoutOf } from '../../sender/delivery/send-event.js';
import { NotChecked } from '../expect.js';
import { encodingsOf, formsOf } from '../redact.js';
import { createJournal, type Entry, type Journal } from './journal.js';
import { createPace } from './pace.js';
import { type ProbeRequest, probe, type Reply } from './probe.js';
import { compose, type Overrides, type Signer } from './request.js';

export interface EventSenderOptions extends Signer {
  /** Requests a second, at least 1. */
  readonly rate: number;
  /** Sends tests and lookups alone. */
  readonly readOnly: boolean;
  /** Once it is aborted no request begins. */
  readonly signal?: AbortSignal | undefined;
  /** For the pace and the timeouts. @default the machine's */
  readonly clock?: Clock | undefined;
  /** Waits between the two pieces of a body, so that a receiver reads them one after the other. @default 200 ms */
  readonly betweenPieces?: (() => Promise<void>) | undefined;
}

/** One event as it is to be sent. */
export interface OutgoingEvent {
  readonly event: EventName;
  readonly data: object;
  readonly overrides?: Overrides | undefined;
}

/** Sends events to the receiver, and keeps a journal of the answers. */
export interface EventSender {
  readonly journal: Journal;
  /** Waits for its turn, sends, and waits for the answer. @throws NotChecked where it must not be sent. */
  send(url: URL, event: OutgoingEvent): Promise<Reply>;
  /** The same with several events whose last bytes leave at the same moment; `onReleased` is called at that moment. */
  together(url: URL, events: readonly OutgoingEvent[], onReleased?: () => void): Promise<Reply[]>;
  /** Waits until so many requests may begin that are not sent here, or sent at once. @throws NotChecked where the run was interrupted. */
  turn(count?: number): Promise<void>;
}

const MAX_TIMEOUTS = 3;
const HOLD_MS = 2000;
const PIECE_MS = 200;

/** A sender that keeps to the pace and to the bounds of one run. */
export function createEventSender(options: EventSenderOptions): EventSender {
  const journal = createJournal();
  const pace = createPace(options.rate, options.clock);
  const { betweenPieces = () => pause(PIECE_MS) } = options;
  const signatureHeader = headerNames(options.service).signature;

  const allow = (events: readonly EventName[]): void => {
    for (const event of events) {
      const writes = event === 'article.published' || event === 'article.updated';
      if (options.readOnly && writes) throw new NotChecked(`it sends ${event}, and --read-only was given`);
      if (journal.timeouts(event) >= MAX_TIMEOUTS)
        throw new NotChecked(`${event} went unanswered ${MAX_TIMEOUTS} times`);
    }
    if (options.signal?.aborted) throw new NotChecked('the run was interrupted');
  };

  const exchange = async (
    url: URL,
    { event, data, overrides }: OutgoingEvent,
    hold?: ProbeRequest['hold'],
  ): Promise<Reply> => {
    const { headers, body } = compose(event, data, options, overrides);
    const request = {
      ...{ url, headers, body, chunked: overrides?.chunked ?? false, timeoutMs: timeoutOf(event) },
      ...(overrides?.pieces && { pieces: betweenPieces }),
      ...(hold && { hold }),
    };
    const reply = await probe(request, options.clock);
    const right = sign(body, options.secret);
    const missing = headers[signatureHeader]?.toLowerCase() === right ? undefined : right;
    const leaks = leakIn(reply, options.secret, missing);
    journal.add(event, { url, headers, body, reply }, leaks, overrides?.trial ?? false);
    return reply;
  };

  return {
    journal,
    send: async (url, event) => {
      allow([event.event]);
      if (!event.overrides?.atOnce) await pace.take();
      return exchange(url, event);
    },
    together: async (url, events, onReleased) => {
      allow(events.map(({ event }) => event));
      await pace.take(events.length);
      const hold = gate(events.length, onReleased);
      return Promise.all(events.map((event) => exchange(url, event, hold)));
    },
    turn: async (count) => {
      allow([]);
      await pace.take(count);
    },
  };
}

/** Opens when everybody waits at it; after a while in any case, as one of them may have failed before. */
function gate(count: number, onOpen: () => void = () => undefined): () => Promise<void> {
  let missing = count;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
    setTimeout(resolve, HOLD_MS).unref();
  });
  void opened.then(onOpen);
  return () => {
    if (--missing === 0) open();
    return opened;
  };
}

/** Whether an answer holds the secret, or the signature that a request did not have but should have had. */
function leakIn(reply: Reply, secret: string, signature: string | undefined): Entry['leaks'] {
  if (reply.kind === 'silence') return undefined;
  const text = `${JSON.stringify(reply.headers)}${reply.text}`;
  const holds = (forms: readonly string[]) => forms.some((form) => text.includes(form));
  if (holds(formsOf(secret))) return 'secret';
  const digits = Buffer.from(signature?.slice('sha256='.length) ?? '', 'hex');
  return digits.length > 0 && holds(encodingsOf(digits)) ? 'signature' : undefined;
}
