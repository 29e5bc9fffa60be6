import { setTimeout as pause } from 'node:timers/promises';
import type { EventName } from '../../contract/limits.js';
import { headerNames } from '../../contract/service.js';
import { sign } from '../../contract/signature.js';
import { CLOCK, type Clock } from '../../sender/clock.js';
import { type Signer, timeoutOf } from '../../sender/delivery/send-event.js';
import { createPace } from '../../sender/pace.js';
import { NotChecked } from '../expect.js';
import { encodingsOf, formsOf } from '../redact.js';
import type { Exchange } from '../report/exchange.js';
import { type ProbeRequest, probe, type Reply } from './probe.js';
import { compose, type Overrides } from './request.js';

export interface EventSenderOptions extends Signer {
  /** Requests per second, at least 1. */
  readonly rate: number;
  /** Sends only tests and lookups. */
  readonly readOnly: boolean;
  /** No request begins after it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The clock for the pace and the timeouts. @default the machine's */
  readonly clock?: Clock | undefined;
  /** Waits between two pieces of a body, so that a receiver reads them separately. @default 200 ms */
  readonly betweenPieces?: (() => Promise<void>) | undefined;
}

/** An event to be sent. */
export interface OutgoingEvent {
  readonly event: EventName;
  readonly data: object;
  readonly overrides?: Overrides | undefined;
}

/** The record of one exchange, without the text of the answer, as a run has hundreds. */
export interface Entry {
  readonly event: EventName;
  readonly reply: Reply;
  /** The secret or signature in the answer, if any. */
  readonly leaks: 'secret' | 'signature' | undefined;
  /** Whether the answer is no finding. */
  readonly trial: boolean;
}

const MAX_TIMEOUTS = 3;
const HOLD_MS = 2000;
const PIECE_MS = 200;

/** Sends events to the receiver, within the rate and the limits of a run, and records the answers. */
export class EventSender {
  readonly entries: Entry[] = [];
  /** The last complete exchange, without trials. */
  last: Exchange | undefined;
  readonly #options: EventSenderOptions;
  readonly #pace: ReturnType<typeof createPace>;

  constructor(options: EventSenderOptions) {
    this.#options = options;
    this.#pace = createPace(options.rate, options.clock);
  }

  /** Waits for its turn, sends, and waits for the answer. @throws NotChecked if it must not be sent. */
  async send(url: URL, event: OutgoingEvent): Promise<Reply> {
    this.#allow([event.event]);
    if (!event.overrides?.atOnce) await this.#pace();
    return this.#exchange(url, event);
  }

  /**
   * Sends several events whose last bytes leave at the same moment.
   *
   * @param onReleased is called at that moment.
   */
  async together(url: URL, events: readonly OutgoingEvent[], onReleased?: () => void): Promise<Reply[]> {
    this.#allow(events.map(({ event }) => event));
    await this.#pace(events.length);
    const hold = gate(events.length, this.#options.clock, onReleased);
    return Promise.all(events.map((event) => this.#exchange(url, event, hold)));
  }

  /**
   * Waits until a number of requests may begin that are sent elsewhere, or at once. @throws NotChecked after an interruption.
   */
  async turn(count?: number): Promise<void> {
    this.#allow([]);
    await this.#pace(count);
  }

  /** The number of timeouts of an event. */
  timeouts(event: EventName): number {
    return this.#replies(event).filter((reply) => reply.kind === 'silence' && reply.why === 'timeout').length;
  }

  /** The largest answer to an event that was read, in bytes. */
  largest(event: EventName): number {
    return Math.max(0, ...this.#replies(event).map((reply) => (reply.kind === 'answer' ? reply.bytes : 0)));
  }

  #replies(event: EventName): Reply[] {
    return this.entries.filter((entry) => entry.event === event).map(({ reply }) => reply);
  }

  #allow(events: readonly EventName[]): void {
    for (const event of events) {
      const writes = event === 'article.published' || event === 'article.updated';
      if (this.#options.readOnly && writes)
        throw new NotChecked(`it sends ${event}, which --read-only forbids`);
      if (this.timeouts(event) >= MAX_TIMEOUTS)
        throw new NotChecked(`${event} went unanswered ${MAX_TIMEOUTS} times`);
    }
    if (this.#options.signal?.aborted) throw new NotChecked('the run was interrupted');
  }

  async #exchange(
    url: URL,
    { event, data, overrides }: OutgoingEvent,
    hold?: ProbeRequest['hold'],
  ): Promise<Reply> {
    const { secret, service, clock, betweenPieces = () => pause(PIECE_MS) } = this.#options;
    const { headers, body } = compose(event, data, this.#options, overrides);
    const request = {
      ...{ url, headers, body, chunked: overrides?.chunked ?? false, timeoutMs: timeoutOf(event) },
      ...(overrides?.pieces && { pieces: betweenPieces }),
      ...(hold && { hold }),
    };
    const reply = await probe(request, clock);
    const trial = overrides?.trial ?? false;
    if (!trial) this.last = { url, headers, body, reply };
    const right = sign(body, secret);
    const isSigned = headers[headerNames(service).signature]?.toLowerCase() === right;
    const leaks = leakIn(reply, secret, isSigned ? undefined : right);
    const kept = reply.kind === 'answer' && leaks === undefined ? { ...reply, text: '' } : reply;
    this.entries.push({ event, reply: kept, leaks, trial });
    return reply;
  }
}

/** Opens when everyone waits at it, or after a while, as one of them may have failed before. */
function gate(
  count: number,
  clock: Clock = CLOCK,
  onOpen: () => void = () => undefined,
): () => Promise<void> {
  let missing = count;
  const over = new AbortController();
  const opened = clock.wait(HOLD_MS, over.signal);
  void opened.then(onOpen);
  return () => {
    if (--missing === 0) over.abort();
    return opened;
  };
}

/** Whether an answer contains the secret, or the signature that a request lacked. */
function leakIn(reply: Reply, secret: string, signature: string | undefined): Entry['leaks'] {
  if (reply.kind === 'silence') return undefined;
  const text = `${JSON.stringify(reply.headers)}${reply.text}`;
  const holds = (forms: readonly string[]) => forms.some((form) => text.includes(form));
  const digits = Buffer.from(signature?.slice('sha256='.length) ?? '', 'hex');
  if (digits.length > 0 && holds(encodingsOf(digits))) return 'signature'; // a short secret may be there by chance
  return holds(formsOf(secret)) ? 'secret' : undefined;
}
