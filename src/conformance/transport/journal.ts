import type { EventName } from '../../contract/limits.js';
import type { Exchange } from '../report/exchange.js';
import type { Reply } from './probe.js';

/** What is kept of one exchange. */
export interface Entry {
  readonly event: EventName;
  readonly reply: Reply;
  /** What the answer gave away. */
  readonly leaks: 'secret' | 'signature' | undefined;
  /** Whether its answer is no finding. */
  readonly trial: boolean;
}

/** What the rules about all answers are judged by. Texts are dropped: a run has hundreds of answers. */
export interface Journal {
  readonly entries: readonly Entry[];
  /** The last one whole; trials are left out. */
  readonly last: Exchange | undefined;
  add(event: EventName, exchange: Exchange, leaks: Entry['leaks'], trial: boolean): void;
  /** How often an event went unanswered for its whole time. */
  timeouts(event: EventName): number;
  /** The most bytes that were read of an answer to an event. */
  largest(event: EventName): number;
}

/** An empty journal. */
export function createJournal(): Journal {
  const entries: Entry[] = [];
  let last: Exchange | undefined;
  const of = (event: EventName) => entries.filter((entry) => entry.event === event);
  return {
    entries,
    get last() {
      return last;
    },
    add: (event, exchange, leaks, trial) => {
      if (!trial) last = exchange;
      const { reply } = exchange;
      const kept = reply.kind === 'answer' && leaks === undefined ? { ...reply, text: '' } : reply;
      entries.push({ event, reply: kept, leaks, trial });
    },
    timeouts: (event) =>
      of(event).filter(({ reply }) => reply.kind === 'silence' && reply.why === 'timeout').length,
    largest: (event) =>
      Math.max(0, ...of(event).map(({ reply }) => (reply.kind === 'answer' ? reply.bytes : 0))),
  };
}
