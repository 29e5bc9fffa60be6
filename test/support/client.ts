import { setImmediate, setTimeout } from 'node:timers/promises';
import { messageOf } from '../../src/errors.js';
import { envelope, type PublishedData, type UpdatedData, update } from './events.js';
import { SECRET, signature } from './signer.js';
import { patienceMs } from './until.js';

/** The target in the answer to a lookup. */
export interface Target {
  id: string;
  url: string;
  revision_id: string;
  title: string;
  content_html: string;
}

/** All fields of all answers; the tests check which of them are present. */
interface AnswerBody {
  received?: boolean;
  id: string;
  url: string;
  contract_version?: number;
  capabilities?: string[];
  target: Target;
  revision_id?: string;
  error: string;
  base_revision_id?: string;
  current_revision_id?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: AnswerBody;
}

export interface PostOptions {
  /** Overrides fields of the envelope. */
  readonly envelope?: Record<string, unknown>;
  /** Overrides headers; undefined omits a header. */
  readonly headers?: Record<string, string | undefined>;
  readonly secret?: string;
  /** What a 503 says that the test expects; it is not sent again. */
  readonly expected?: RegExp;
}

/** Sends requests to one webhook. */
export interface Client {
  /** Sends an event, signed. */
  post(event: string, data: unknown, options?: PostOptions): Promise<Answer>;
  /** Sends bytes; signed unless the headers say otherwise. */
  raw(bytes: Uint8Array | string, headers?: Record<string, string | undefined>): Promise<Answer>;
  /** Looks up an article that must exist. */
  find(url: string): Promise<Target>;
}

export interface ClientOptions {
  /** @default the secret of the tests */
  readonly secret?: string;
  /**
   * Sends a request again that was answered with 503: for tests in which a remote takes part, and which a slow machine
   * must not fail. @default false
   */
  readonly resend?: boolean;
}

/** What a receiver says on a machine that is too busy for git to end within an answer's time: it is sent again. */
const SLOW = 'git took longer than';
/** How often a request is sent at most, … */
const MAX_ATTEMPTS = 10;
/** … and the pause in between, in milliseconds. */
const PAUSE_MS = 200;

/** Makes a client that sends signed events to `url`. */
export function createClient(url: string, { secret = SECRET, resend = false }: ClientOptions = {}): Client {
  async function raw(
    bytes: Uint8Array | string,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const all = {
      'Content-Type': 'application/json',
      'X-Service-Signature': signature(bytes, secret),
      // Without this, fetch may reuse a connection that the receiver has just closed because it was idle.
      Connection: 'close',
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const body = typeof bytes === 'string' ? bytes : Uint8Array.from(bytes);
    // Two turns of the event loop: fetch shall not reuse the connection of an earlier question that the receiver has closed
    // while this process was held up, as by the git commands of a test.
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    const signal = AbortSignal.timeout(patienceMs());
    const request = { method: 'POST', body, headers: Object.fromEntries(sent), signal };
    const response = await fetch(url, request).catch((error: Error) => {
      // Fetch itself says “fetch failed”, whatever has happened.
      throw new TypeError(`${error.message}: ${messageOf(error.cause)}`, { cause: error.cause });
    });
    return answerOf(response);
  }

  async function post(event: string, data: unknown, options: PostOptions = {}): Promise<Answer> {
    const body = JSON.stringify({ ...envelope(event, data), ...options.envelope });
    const headers = {
      'X-Service-Signature': signature(body, options.secret ?? secret),
      'X-Service-Event': event,
      'X-Service-Timestamp': '1795075200',
      'X-Service-Contract': event === 'article.published' ? undefined : '2',
      ...options.headers,
    };
    for (let attempt = 1; ; attempt++) {
      const answer = await raw(body, headers);
      const isWorthAnother = answer.status === 503 && (resend || answer.text.includes(SLOW));
      const isExpected = options.expected?.test(answer.json.error) === true;
      if (!isWorthAnother || isExpected || attempt === MAX_ATTEMPTS) return answer;
      await setTimeout(PAUSE_MS);
    }
  }

  async function find(target: string): Promise<Target> {
    const { status, text, json } = await post('article.lookup', { target_url: target });
    if (status !== 200) throw new Error(`lookup of ${target}: ${status} ${text}`);
    return json.target;
  }

  return { post, raw, find };
}

/**
 * Publishes an article and makes, but does not send, an update of it.
 *
 * @param over overrides fields of the update.
 */
export async function publishForUpdate(
  { post, find }: Client,
  data: PublishedData,
  over: Partial<UpdatedData> = {},
): Promise<{ readonly url: string; readonly request: UpdatedData }> {
  const { status, text, json } = await post('article.published', data);
  if (status !== 200) throw new Error(`the publication was answered ${status}: ${text}`);
  const { url } = json;
  const { revision_id: base_revision_id } = await find(url);
  return { url, request: update({ target_id: data.id, target_url: url, base_revision_id }, over) };
}

/** Reads a response to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: bodyOf(text) };
}

/** The JSON of an answer. */
export function bodyOf(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody;
  } catch {
    throw new Error(`the answer is not JSON: ${text.slice(0, 200)}`);
  }
}
