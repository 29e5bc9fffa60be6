import { envelope } from './events.js';
import { SECRET, signature } from './signer.js';

/** What a lookup tells. */
export interface Target {
  id: string;
  url: string;
  revision_id: string;
  title: string;
  content_html: string;
}

/** Every field that an answer may have; which ones are there is for the tests to say. */
export interface AnswerBody {
  received?: boolean;
  id: string;
  url: string;
  contract_version?: number;
  capabilities?: string[];
  target: Target;
  revision_id?: string;
  error: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: AnswerBody;
}

export interface PostOptions {
  /** Laid over the envelope. */
  readonly envelope?: Record<string, unknown>;
  /** Laid over the headers; undefined leaves one out. */
  readonly headers?: Record<string, string | undefined>;
  readonly secret?: string;
}

/** Everything that a test sends to one webhook. */
export interface Client {
  /** Sends an event, signed. */
  post(event: string, data: unknown, options?: PostOptions): Promise<Answer>;
  /** Sends bytes; signed unless the headers say otherwise. */
  raw(bytes: Uint8Array | string, headers?: Record<string, string | undefined>): Promise<Answer>;
  /** Looks an article up that must be there. */
  find(url: string): Promise<Target>;
}

/** A sender of signed events to `url`. */
export function createClient(url: string): Client {
  async function raw(
    bytes: Uint8Array | string,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const all = { 'Content-Type': 'application/json', 'X-Service-Signature': signature(bytes), ...headers };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const body = typeof bytes === 'string' ? bytes : Uint8Array.from(bytes);
    const response = await fetch(url, { method: 'POST', body, headers: Object.fromEntries(sent) });
    return answerOf(response);
  }

  async function post(event: string, data: unknown, options: PostOptions = {}): Promise<Answer> {
    const body = JSON.stringify({ ...envelope(event, data), ...options.envelope });
    return raw(body, {
      'X-Service-Signature': signature(body, options.secret ?? SECRET),
      'X-Service-Event': event,
      'X-Service-Timestamp': '1795075200',
      'X-Service-Contract': event === 'article.published' ? undefined : '2',
      ...options.headers,
    });
  }

  async function find(target: string): Promise<Target> {
    const { status, text, json } = await post('article.lookup', { target_url: target });
    if (status !== 200) throw new Error(`lookup of ${target}: ${status} ${text}`);
    return json.target;
  }

  return { post, raw, find };
}

/** An answer, read to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: bodyOf(text) };
}

/** The JSON of an answer. */
export function bodyOf(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody;
  } catch {
    throw new Error(`the answer is no JSON: ${text.slice(0, 200)}`);
  }
}
