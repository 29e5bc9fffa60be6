import type { IncomingHttpHeaders } from 'node:http';
import type { ExtraKeys } from '../../article/article.js';
import { quote } from '../../errors.js';
import { checkKeys, complaintsOf } from '../invalid.js';
import { type Account, type AdapterAuth, accountsIn, type Caller } from './accounts.js';
import type { AdapterAnswer, AdapterError } from './adapter-answer.js';
import type { FormField } from './form.js';

/** An article that an adapter hands over. An optional field that is null or empty counts as missing. */
export interface IncomingArticle {
  /** Not empty. Identifies the article. */
  readonly id: string;
  /** An article with an empty title is called `Untitled`. */
  readonly title: string;
  /** The article as HTML; empty if there is only Markdown. */
  readonly contentHtml: string;
  /** The same text as Markdown. @default the HTML is stored */
  readonly markdown?: string | null;
  readonly description?: string | null;
  /** A suggestion. @default the id */
  readonly slug?: string | null;
  readonly tags?: readonly string[] | null;
  readonly author?: string | null;
  readonly keyword?: string | null;
  /** Absolute URL of the featured image. Without one, an update leaves the stored image. */
  readonly image?: string | null;
  /** First publication, ISO 8601; a date in the future schedules the article. In an update it needs a `state`. @default now */
  readonly date?: string | null;
  /**
   * `held`: the article is not shown. `live`: it is shown from its date on, unless a plugin or a person holds it.
   * @default 'live' for a new article, unchanged for an update
   */
  readonly state?: 'live' | 'held' | null;
  /** Additional front matter, as plain data; Pressmark's own keys are not allowed. Keys that are left out stay. */
  readonly frontMatter?: ExtraKeys | null;
  /** Whatever else the service sent, for filters of `article.draft`. */
  readonly source?: Readonly<Record<string, unknown>> | null;
}

/** The outcome of an article that was handed over. */
export interface ReceivedArticle {
  readonly id: string;
  /** Its public URL. */
  readonly url: string;
  /** `known`: it was already stored with this content. `deleted`: its owner has deleted it, and it stays deleted. */
  readonly outcome: 'stored' | 'updated' | 'known' | 'deleted';
}

/** A request to an adapter, before it is parsed. */
export interface AdapterRequest {
  /** Such as `POST`. */
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** The decoded parts of the path, by the names in the route. */
  readonly params: Readonly<Record<string, string>>;
  /** The origin that it was sent to, such as `https://blog.example`; always HTTPS, except on the receiver's own machine. */
  readonly origin: string;
  /** A name that comes several times, or ends with `[]`, is a list. */
  readonly query: Readonly<Record<string, FormField>>;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: Buffer;
  /** The sender, by `auth`. Undefined with `verify`. */
  readonly caller?: Caller;
}

/** The possible results of an adapter's `receive`. */
export type AdapterResult = IncomingArticle | readonly IncomingArticle[] | AdapterAnswer;

/** Answers a request. */
export type AdapterHandler<T = unknown> = (payload: unknown, request: AdapterRequest) => T | Promise<T>;

/** An endpoint for another service. It has `auth` or `verify`, and `receive` or `routes`. */
export interface Adapter {
  /** Such as `/incoming/blog`; served with and without a trailing slash. */
  readonly path: string;
  /** The longest accepted body, in bytes. @default 1,000,000 */
  readonly maxBytes?: number;
  /**
   * Whether the admin shows bodies and answers. Set this only if no body and no answer holds a secret, such as a token.
   *
   * @default false: the admin shows the time, the headers and the outcome of a request
   */
  readonly keepsBodies?: boolean;
  /** Who may send requests. */
  readonly auth?: AdapterAuth;
  /** Verifies a request; if it returns anything but `true`, the answer is 401. */
  verify?(request: AdapterRequest): boolean | Promise<boolean>;
  /**
   * Parses a verified body.
   *
   * @default the fields of a form, URL-encoded or multipart; undefined for an image, a sound, a film, a PDF or
   *   `application/octet-stream`; else JSON in UTF-8. Without a body, `{}` for POST and undefined for other methods
   */
  parse?(request: AdapterRequest): unknown;
  /** Turns a POST to the path into articles, which are stored before the answer, or into an answer. */
  readonly receive?: AdapterHandler<AdapterResult>;
  /**
   * Handlers by methods and paths, such as `'GET /posts/:id'`, `'PUT, PATCH /posts/:id'`, and `'POST /'` for the adapter's own
   * path; the first match answers. The result is sent as JSON, undefined as 404; `ReceiverHost.answer` makes other answers.
   * `GET` also answers HEAD. An adapter with a route below its path owns all paths there.
   */
  readonly routes?: Readonly<Record<string, AdapterHandler>>;
  /** The body of an error, sent as JSON. @default `{ error: message }` */
  errorBody?(error: AdapterError): unknown;
}

interface Route {
  readonly method: string;
  /** Such as `/posts/:id`; empty for the adapter's own path. */
  readonly path: string;
  readonly pattern: RegExp;
  readonly handler: AdapterHandler;
}

/** A checked adapter and its plugin. */
export interface PluginAdapter extends Pick<Adapter, 'maxBytes' | 'keepsBodies' | 'parse' | 'errorBody'> {
  readonly plugin: string;
  /** Without a trailing slash. */
  readonly path: string;
  readonly verification:
    | { readonly kind: AdapterAuth['kind']; readonly accounts: readonly Account[] }
    | { readonly kind: 'verify'; readonly verify: NonNullable<Adapter['verify']> };
  readonly routes: readonly Route[];
  /** Whether the adapter owns all paths below its own. */
  readonly hasBelow: boolean;
  /** Whether its only route returns articles. */
  readonly returnsArticles: boolean;
}

/** The keys of an adapter. */
const KEYS = ['path', 'auth', 'verify', 'receive', 'parse', 'routes', 'maxBytes', 'keepsBodies', 'errorBody'];

/** The highest value of `maxBytes`. */
const MOST_BYTES = 10_000_000;

/** The path of an adapter: one endpoint, no pattern. */
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;

/** A route: its methods and its path. */
const ROUTE =
  /^((?:(?:GET|POST|PUT|PATCH|DELETE|OPTIONS)(?:, |(?= )))+) ((?:\/(?::\w+|[A-Za-z0-9._~-]+))*)\/?$/;

/**
 * Checks an adapter that a plugin adds.
 *
 * @param secrets the plugin's secrets.
 * @param taken the paths in use, without trailing slashes, and their owners; `/a/*` stands for all paths below `/a`.
 * @throws PressmarkError PLUGIN_INVALID, naming both owners if the path is in use.
 */
export function checkedAdapter(
  plugin: string,
  { path, auth, verify, receive, routes, ...others }: Adapter,
  secrets: Readonly<Record<string, string>>,
  taken: ReadonlyMap<string, string>,
): PluginAdapter {
  const complain = complaintsOf(plugin, 'its adapter ');
  if (typeof path !== 'string' || !PATH.test(path))
    throw complain(`has the path ${quote(path)}; write one path such as "/incoming/blog"`);
  const at = complaintsOf(plugin, `its adapter at ${path}: `);
  checkKeys({ auth, verify, receive, routes, ...others }, KEYS, at);
  if (auth !== undefined) checkKeys(auth, ['kind', 'secret'], (what) => at(`auth: ${what}`));
  const { maxBytes = 1 } = others;
  if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > MOST_BYTES)
    throw complain(
      `at ${path} has maxBytes ${quote(maxBytes)}; it must be an integer from 1 to ${MOST_BYTES}`,
    );
  if (`${path}/`.startsWith('/-/'))
    throw complain(`has the path ${path}; /-/ and what is below are those of routes`);

  const hasBelow = Object.keys(routes ?? {}).some((name) => !/^\w+ \/$/.test(name));
  const given = { path: withoutSlash(path), hasBelow };
  const isTaken = (at: string) =>
    pathsOf(given).some((own) => own === at || covers(own, at) || covers(at, own));
  const [, other] = [...taken].find(([at]) => isTaken(at)) ?? [];
  if (other !== undefined)
    throw complain(`has the path ${path}, which is that of ${other}; choose another path`);

  if ((auth === undefined) === (typeof verify !== 'function'))
    throw complain(`at ${path} needs auth or the function verify, and only one of them`);
  const list = auth && secrets[auth.secret];
  if (auth !== undefined && list === undefined)
    throw complain(`at ${path} has auth by ${quote(auth.secret)}, which is not in the plugin's secrets`);
  if (auth !== undefined && auth.kind !== 'basic' && auth.kind !== 'bearer')
    throw complain(`at ${path} has auth of the kind ${quote(auth.kind)}; it may be basic or bearer`);

  if ((routes === undefined) === (receive === undefined))
    throw complain(`at ${path} needs the function receive or routes, and only one of them`);
  const handlers = Object.entries<AdapterHandler | undefined>(routes ?? { 'POST /': receive });
  return {
    ...others,
    ...given,
    plugin,
    returnsArticles: receive !== undefined,
    verification:
      auth !== undefined && list !== undefined
        ? { kind: auth.kind, accounts: accountsIn(list, auth, plugin) }
        : { kind: 'verify', verify: verify ?? (() => false) },
    routes: handlers.flatMap(([name, handler]) => {
      const [, methods, route] = ROUTE.exec(name) ?? [];
      if (methods === undefined || route === undefined)
        throw complain(`at ${path} has the route ${quote(name)}; write one such as 'GET /posts/:id'`);
      if (typeof handler !== 'function')
        throw complain(`at ${path} has ${quote(handler)} for ${name} instead of a function`);
      const names = route.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)');
      const pattern = new RegExp(`^${names}$`);
      return methods.split(', ').map((method) => ({ method, path: route, pattern, handler }));
    }),
  };
}

/** The result of looking for a request's route. */
export type FoundRoute =
  | { readonly kind: 'found'; readonly handler: AdapterHandler; readonly params: AdapterRequest['params'] }
  | { readonly kind: 'other method'; readonly methods: readonly string[] }
  | { readonly kind: 'none' };

/** The route for a request; undefined if the path is not the adapter's. */
export function routeFor(adapter: PluginAdapter, method: string, path: string): FoundRoute | undefined {
  const at = withoutSlash(path);
  if (at !== adapter.path && !(adapter.hasBelow && at.startsWith(`${adapter.path}/`))) return undefined;
  const fitting = adapter.routes.flatMap((route) => {
    const match = route.pattern.exec(at.slice(adapter.path.length));
    return match === null ? [] : [{ ...route, params: match.groups ?? {} }];
  });
  const found = fitting.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));
  const params = found && decoded(found.params);
  if (found !== undefined && params !== undefined) return { kind: 'found', handler: found.handler, params };
  const methods = [...new Set(fitting.map((route) => route.method))];
  return found !== undefined || methods.length === 0 ? { kind: 'none' } : { kind: 'other method', methods };
}

/** Undefined if one of them is malformed. */
function decoded(params: AdapterRequest['params']): AdapterRequest['params'] | undefined {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}

/** The paths of an adapter, in the form of `taken`. */
export function pathsOf({ path, hasBelow }: Pick<PluginAdapter, 'path' | 'hasBelow'>): string[] {
  return hasBelow ? [path, `${path}/*`] : [path];
}

/** Whether a pattern for all paths below one covers a path. */
function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1));
}

/** A path in the form in which paths are compared. */
export function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
