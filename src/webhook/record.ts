import type { DeliveryOutcome } from '../host/hooks/hook-types.js';
import type { DeliveryRecord, KeptHeader, RefusedRequests } from '../host/records.js';
import type { Log } from '../log.js';

/** The record of a delivery before it has a key. */
export type NewRecord = Omit<DeliveryRecord, 'key'>;

/** A delivery, byte by byte, and its answer. */
export interface Exchange {
  readonly headers: readonly KeptHeader[];
  /** Null if the adapter's plugin has not declared its bodies free of secrets. */
  readonly body: Buffer | null;
  readonly answer: string | null;
}

/** Notes deliveries and requests for people, after their answers. */
export interface Notes {
  delivery(record: NewRecord, exchange: Exchange): void;
  /** Notes requests that could not be verified, which anyone can send. */
  refused(refused: Omit<RefusedRequests, 'at'>): void;
}

export interface RecorderOptions {
  readonly log: Log;
  /** @default none */
  readonly notes: Notes | undefined;
  /** The plugin whose adapter receives the requests. @default none: they are deliveries to the webhook */
  readonly adapter?: string;
  /** Headers that are harmless here, in lower case; see `keptHeaders`. */
  readonly harmlessHeaders?: ReadonlySet<string>;
  /** Whether bodies and answers are kept. */
  readonly keepsBodies: boolean;
}

/** A request that was answered. */
interface Answered {
  /** Whether the sender was verified. If not, anyone can have sent the request. */
  readonly verified: boolean;
  /** See `keptHeaders`. */
  readonly rawHeaders: readonly string[];
  /** Null if it was not read. */
  readonly body: Buffer | null;
  /** The body of the answer. */
  readonly answer: string;
}

/**
 * Returns a function that logs and notes a delivery after its answer: one line for each verified delivery, and a bounded number
 * of lines for all others.
 */
export function createRecorder({ log, notes, adapter, harmlessHeaders, keepsBodies }: RecorderOptions) {
  const logUnverified = createRefusalLog(log, (refused) =>
    notes?.refused({ ...refused, adapter: adapter ?? null }),
  );
  return (report: DeliveryOutcome, { verified, rawHeaders, body, answer }: Answered): void => {
    if (report.status < 400) log.info(report, 'delivery');
    else if (verified) log.warn(report, 'delivery refused');
    else logUnverified(report);
    if (!verified) return;
    const exchange = keepsBodies ? { body, answer } : { body: null, answer: null };
    notes?.delivery(recordOf(report, answer), {
      headers: keptHeaders(rawHeaders, harmlessHeaders),
      ...exchange,
    });
  };
}

/** The longest answer that is searched for a URL, in characters. */
const LONGEST = 10_000;

/** The record of a delivery. @param answer the body of its answer. */
function recordOf({ event, adapter, id, outcome, status, ms }: DeliveryOutcome, answer: string): NewRecord {
  const at = new Date().toISOString();
  const url = status < 400 ? urlIn(answer) : null;
  return { at, event: event ?? null, adapter: adapter ?? null, id: id ?? null, url, outcome, status, ms };
}

function urlIn(answer: string): string | null {
  if (answer.length > LONGEST || !answer.includes('"url"')) return null;
  try {
    const { url }: { url?: unknown } = Object(JSON.parse(answer));
    return typeof url === 'string' ? url : null;
  } catch {
    return null; // an adapter's own answer
  }
}

/**
 * The headers whose values are never secret. Any other header may hold a token, as proxies, hosts and services add their own.
 */
const HARMLESS =
  /^(?:accept(?:-[a-z]+)?|age|cache-control|cf-(?:connecting-ip|ipcountry|ray)|connection|content-(?:encoding|language|length|type)|date|expect|forwarded|host|keep-alive|max-forwards|pragma|te|trailer|transfer-encoding|traceparent|tracestate|upgrade|user-agent|via|x-(?:correlation-id|forwarded-(?:for|host|port|prefix|proto)|real-ip|request-id))$/;

/** The longest value that is kept, in characters. */
const LONGEST_VALUE = 1_000;

/**
 * The headers of a request in order, without values that may be secret.
 *
 * @param raw alternating names and values, as in Node.js.
 * @param known further harmless headers, in lower case.
 */
export function keptHeaders(raw: readonly string[], known: ReadonlySet<string> = new Set()): KeptHeader[] {
  const headers: KeptHeader[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const key = name.toLowerCase();
    const isShown = known.has(key) || HARMLESS.test(key);
    headers.push({
      name: name.slice(0, LONGEST_VALUE),
      value: isShown ? value.slice(0, LONGEST_VALUE) : null,
    });
  }
  return headers;
}

/** How long refusals with the same outcome are counted for one log line, in milliseconds. */
const COUNTED_MS = 10_000;

/** A delivery that was refused. */
export interface Refused {
  /** The plugin whose adapter refused it; undefined for the webhook. */
  readonly adapter?: string | undefined;
  readonly outcome: string;
  readonly status: number;
}

/** Called with each log line: the first refusal of an outcome, and then the number of further ones. */
export type NoteRefused = (refused: Refused & { readonly count: number }) => void;

/**
 * Logs unverified deliveries, which anyone can send: the first of each outcome at once, and further ones as one line every ten
 * seconds, with their number. As there are few outcomes, this is less than one line per second, however many are sent.
 *
 * @param later calls a function at the end of the counting period.
 */
export function createRefusalLog(
  log: Log,
  note: NoteRefused,
  later = afterCounting,
): (refused: Refused) => void {
  /** The number of further refusals, by outcome. */
  const following = new Map<string, number>();

  function countOn({ adapter, outcome, status }: Refused): void {
    following.set(outcome, 0);
    later(() => {
      const count = following.get(outcome) ?? 0;
      following.delete(outcome);
      if (count === 0) return;
      log.warn({ adapter, outcome, status, count }, 'deliveries refused');
      note({ outcome, status, count });
      countOn({ adapter, outcome, status });
    });
  }

  return (refused) => {
    const { outcome, status } = refused;
    const count = following.get(outcome);
    if (count !== undefined) {
      following.set(outcome, count + 1);
      return;
    }
    log.warn(refused, 'delivery refused');
    note({ outcome, status, count: 1 });
    countOn(refused);
  };
}

function afterCounting(then: () => void): void {
  setTimeout(then, COUNTED_MS).unref();
}
