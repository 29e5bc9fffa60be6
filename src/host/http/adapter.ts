import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type { FormField } from './form.js';

/** An article that an adapter hands over. A field that is not required may be null or empty: it counts as missing. */
export interface IncomingArticle {
  /** Never empty. The same id is the same article. */
  readonly id: string;
  /** If it is empty, the article is called `Untitled`. */
  readonly title: string;
  /** The article as HTML; empty if there is Markdown alone. */
  readonly contentHtml: string;
  /** The same as Markdown. @default the HTML is stored */
  readonly markdown?: string | null;
  readonly description?: string | null;
  /** A suggestion. @default the id */
  readonly slug?: string | null;
  readonly tags?: readonly string[] | null;
  readonly author?: string | null;
  readonly keyword?: string | null;
  /** Absolute URL of the featured image. Without one, an update leaves the stored image. */
  readonly image?: string | null;
  /** First publication, ISO 8601; one to come schedules the article. An update has it with a `state` alone. @default now */
  readonly date?: string | null;
  /** `held` does not show the article, `live` shows it at its date. @default 'live' for a new one, an update leaves it */
  readonly state?: 'live' | 'held' | null;
  /** What else the service sent, for filters of `article.draft`. */
  readonly source?: Readonly<Record<string, unknown>> | null;
  /** The revision that this content was made from: if the stored article has another one, nothing is stored. @default any */
  readonly base?: string | null;
}

/** What became of an article that was handed over. */
export interface ReceivedArticle {
  readonly id: string;
  /** Its public URL. */
  readonly url: string;
  /** `known`: it was stored with this content before. `deleted`: its owner has deleted it, and it stays so. */
  readonly outcome: 'stored' | 'updated' | 'known' | 'deleted';
}

/** A request to an adapter, before anything of it is parsed. */
export interface AdapterRequest {
  /** Such as `POST`. */
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** The address that it came to, such as `https://blog.example`; HTTPS but on the receiver's own machine. */
  readonly origin: string;
  /** A name that comes several times, or ends with `[]`, is a list. */
  readonly query: Readonly<Record<string, FormField>>;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: Buffer;
}

/** An answer that a plugin makes itself; see `ReceiverHost.answer`. */
export class AdapterAnswer {
  constructor(
    readonly status: number,
    /** JSON, or nothing. */
    readonly body: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** Headers that follow from the body. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding']);

/**
 * Makes the answer of a plugin's adapter.
 *
 * @param body sent as JSON; undefined for none.
 * @throws PressmarkError PLUGIN_INVALID if it cannot be sent, naming the plugin.
 */
export function answerOf(
  plugin: string,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): AdapterAnswer {
  const complain = (what: string) =>
    new PressmarkError('PLUGIN_INVALID', `plugin ${plugin}: host.answer has ${what}`);
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw complain(`the status ${quote(status)}; a status is an integer from 200 to 599`);
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()))
      throw complain(`the header ${name}, which Pressmark sets itself; leave it out`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw complain(`the header ${quote(name)}, whose name or value HTTP does not allow`);
    }
  }
  try {
    return new AdapterAnswer(status, JSON.stringify(body) ?? '', { ...headers });
  } catch (error) {
    throw complain(`a body that is not JSON: ${messageOf(error)}`);
  }
}

/** What `receive` of an adapter may return. */
export type AdapterResult = IncomingArticle | readonly IncomingArticle[] | AdapterAnswer;

/** An endpoint for another service. */
export interface Adapter {
  /** Such as `/incoming/blog`; served with and without a slash at its end. */
  readonly path: string;
  /** Whether all paths below it are the adapter's, too. @default false */
  readonly subpaths?: boolean;
  /** The methods that are accepted. @default only `POST` */
  readonly methods?: readonly string[];
  /** The longest body that is read, in bytes. @default 1,000,000 */
  readonly maxBytes?: number;
  /**
   * Whether the admin shows bodies and answers. Only where no body and no answer has a secret in it, such as a token.
   *
   * @default false: only when requests came, their headers and what became of them
   */
  readonly keepsBodies?: boolean;
  /** Whether the request is genuine; anything but `true` is answered 401. */
  verify(request: AdapterRequest): boolean | Promise<boolean>;
  /**
   * Parses a verified body.
   *
   * @default the fields of a form, URL-encoded or multipart; undefined for an image, a sound, a film, a PDF or
   *   `application/octet-stream`; else JSON in UTF-8. Without a body, `{}` for POST and undefined for other methods
   */
  parse?(request: AdapterRequest): unknown;
  /** Turns a parsed body into articles, which are stored before the answer, or into an answer of its own. */
  receive(payload: unknown, request: AdapterRequest): AdapterResult | Promise<AdapterResult>;
  /** The body of an answer that is an error, which is sent as JSON. @default `{ error: message }` */
  errorBody?(error: AdapterError): unknown;
}

/** Why a request is not accepted. A function of an adapter may throw such an error, with `expose`, as `http-errors` makes it. */
export interface AdapterError {
  /** From 400 to 599. */
  readonly status: number;
  /** A name for it; one of the error table unless the plugin has thrown the error. */
  readonly code: string;
  readonly message: string;
}

/** The error that a plugin has thrown for the sender; undefined if it has failed. */
export function exposedError(error: unknown): AdapterError | undefined {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true) return undefined;
  const { status, code, message }: Error & { status?: unknown; code?: unknown } = error;
  if (!Number.isInteger(status) || typeof status !== 'number' || status < 400 || status > 599)
    return undefined;
  return { status, code: typeof code === 'string' ? code : 'REFUSED', message };
}

/** An adapter and whose it is. */
export interface PluginAdapter extends Adapter {
  readonly plugin: string;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The most that `maxBytes` may be. */
const MOST_BYTES = 10_000_000;

/** No pattern: a path is one endpoint. */
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;

/**
 * Checks an adapter that a plugin adds.
 *
 * @param taken the paths that are answered already, without a slash at their ends, and by what; `/a/*` stands for all below `/a`.
 * @throws PressmarkError PLUGIN_INVALID, naming both where the path is taken.
 */
export function checkAdapter(
  { plugin, path, subpaths = false, methods = ['POST'], maxBytes = 1, verify, receive }: PluginAdapter,
  taken: ReadonlyMap<string, string>,
): void {
  const complain = (what: string) =>
    new PressmarkError('PLUGIN_INVALID', `plugin ${plugin}: its adapter ${what}`);
  if (typeof path !== 'string' || !PATH.test(path))
    throw complain(`has the path ${quote(path)}; write one path such as "/incoming/blog"`);
  if (typeof verify !== 'function' || typeof receive !== 'function')
    throw complain(`at ${path} needs the functions verify and receive`);
  if (!methods.every((method) => METHODS.has(method)))
    throw complain(`at ${path} has the methods ${methods.join(', ')}; there are ${[...METHODS].join(', ')}`);
  if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > MOST_BYTES)
    throw complain(
      `at ${path} has maxBytes ${quote(maxBytes)}; it must be an integer from 1 to ${MOST_BYTES}`,
    );
  if (path.startsWith('/-/')) throw complain(`has the path ${path}; paths below /-/ are those of routes`);
  const isTaken = (at: string) =>
    pathsOf({ path, subpaths }).some((own) => own === at || covers(own, at) || covers(at, own));
  const [, other] = [...taken].find(([at]) => isTaken(at)) ?? [];
  if (other !== undefined)
    throw complain(`has the path ${path}, which is that of ${other}; choose another path`);
}

/** What an adapter answers, in the form of `taken`. */
export function pathsOf({ path, subpaths = false }: Pick<Adapter, 'path' | 'subpaths'>): string[] {
  const at = withoutSlash(path);
  return subpaths ? [at, `${at}/*`] : [at];
}

/** Whether all paths below one stand for another, too. */
function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1));
}

/** A path as it is compared. */
export function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
