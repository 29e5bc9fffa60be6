import type { EventName } from '../../contract/limits.js';

/** The response to a request. */
export type Scripted =
  /** The right answer, or one that differs from it in the named way. */
  | {
      readonly kind: 'accept';
      readonly change?: (json: Readonly<Record<string, unknown>>) => object;
      readonly large?: true;
    }
  /** 202 without a body. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string }
  /** No answer, until the sender gives up or is killed. */
  | { readonly kind: 'hold'; readonly until: 'timeout' | 'kill' }
  /** The connection is closed after the request was read. */
  | { readonly kind: 'close' };

/** The answers to an article's attempts, in order; the last one also answers all later attempts. */
export interface ArticleScenario {
  /** The description, as in "a publish that …". */
  readonly what: string;
  readonly answers: readonly Scripted[];
}

/** The answers to a refresh. The default is to accept. */
export interface RefreshScenario {
  readonly test?: Scripted;
  readonly lookup?: Scripted;
  /** In order of the attempts; the last one also answers all later attempts. */
  readonly updates?: readonly Scripted[];
}

/** The paths that the sender is connected to first and later, and the targets of redirects. */
export const PATHS = {
  registered: '/webhook',
  edited: '/webhook-edited',
  followed: '/followed',
  followedTwice: '/followed-twice',
} as const;

/** The error text of receivers; longer than the 200 characters that a sender keeps. */
export const LONG_ERROR = `try again later: ${'ü'.repeat(300)}`;

const accept: Scripted = { kind: 'accept' };
const status = (code: number): Scripted => ({ kind: 'status', status: code });
const redirect: Scripted = { kind: 'redirect', to: PATHS.followed };
const hold: Scripted = { kind: 'hold', until: 'timeout' };
const large: Scripted = { kind: 'accept', large: true };
const once = (what: string, first: Scripted): ArticleScenario => ({ what, answers: [first, accept] });
const refused = (code: number) => once(`was answered ${code}`, status(code));

/** In the order in which new articles get them. */
export const ARTICLES = {
  accepted: { what: 'was answered 200', answers: [accept] },
  unavailable: { what: 'was answered 503 each time', answers: [status(503)] },
  'no-answer': once('got no answer', hold),
  closed: once('was read, and its connection closed', { kind: 'close' }),
  'answered-500': refused(500),
  'answered-4xx': {
    what: 'was answered 400, then 401, then 404',
    answers: [status(400), status(401), status(404), accept],
  },
  'answered-409': refused(409),
  bare: { what: 'was answered 202 without a body', answers: [{ kind: 'bare' }] },
  large: { what: 'was answered 200 with more than 1,000,000 bytes', answers: [large] },
  redirected: { what: 'was redirected', answers: [redirect] },
  'redirected-twice': once('was redirected twice', { kind: 'redirect', to: PATHS.followedTwice }),
  killed: once('was being sent when the sender was killed', { kind: 'hold', until: 'kill' }),
  edited: once('was answered 503 before the connector was edited', status(503)),
} as const satisfies Record<string, ArticleScenario>;

export type ArticleName = keyof typeof ARTICLES;

const changed = (change: (json: Readonly<Record<string, unknown>>) => object): Scripted => ({
  kind: 'accept',
  change,
});
const inTarget = (fields: object) =>
  changed((json) => ({ ...json, target: { ...Object(json.target), ...fields } }));

/** In the order in which they are requested. */
export const REFRESHES = {
  refreshed: {},
  'test-bare': { test: changed(() => ({ received: true })) },
  'test-two-capabilities': {
    test: changed((json) => ({ ...json, capabilities: ['article.published', 'article.lookup'] })),
  },
  'test-redirected': { test: redirect },
  'test-large': { test: large },
  'test-no-answer': { test: hold },
  'lookup-other-url': { lookup: inTarget({ url: 'https://elsewhere.example/article/' }) },
  'lookup-empty-field': { lookup: inTarget({ title: '' }) },
  'lookup-404': { lookup: status(404) },
  'lookup-redirected': { lookup: redirect },
  'lookup-large': { lookup: large },
  'lookup-no-answer': { lookup: hold },
  conflict: { updates: [status(409)] },
  'update-503': { updates: [status(503), accept] },
  'update-other-revision': {
    updates: [changed((json) => ({ ...json, revision_id: 'another' })), accept],
  },
  'update-bare': { updates: [changed(() => ({ received: true })), accept] },
  'update-redirected': { updates: [redirect, accept] },
  'update-large': { updates: [large, accept] },
  edited: { updates: [status(503), accept] },
} as const satisfies Record<string, RefreshScenario>;

export type RefreshName = keyof typeof REFRESHES;

/** A request and its response. Times are the sender's, in milliseconds. */
export interface SeenRequest {
  readonly event: EventName;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  /** The moment of sending in the header; NaN if there is none. */
  readonly timestamp: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: number;
  /** The time of the answer, or of the end of the connection; undefined while the request is under way. */
  endedAt?: number;
  /** Undefined if there was no answer. */
  status?: number;
  /** The answer’s JSON. */
  json?: object;
  /** Whether the answer was the right one. */
  accepted: boolean;
}

/** The history of an article or of a refresh. */
export interface Trace {
  readonly requests: SeenRequest[];
  /** Whether an expected attempt did not come, until two minutes after its time. */
  overdue: boolean;
}

/** An attempt at a delivery, with the requests of its redirects. */
export interface Attempt {
  readonly at: number;
  readonly first: SeenRequest;
  readonly last: SeenRequest;
}

/** The attempts of a trace to publish or update, without tests and lookups. */
export function attemptsOf({ requests }: Trace): Attempt[] {
  const attempts: Attempt[] = [];
  for (const request of requests) {
    if (request.event !== 'article.published' && request.event !== 'article.updated') continue;
    const before = attempts.at(-1);
    if (before !== undefined && isFollowed(request))
      attempts[attempts.length - 1] = { ...before, last: request };
    else attempts.push({ at: request.at, first: request, last: request });
  }
  return attempts;
}

/** Whether a request follows a redirect. */
export function isFollowed({ path }: SeenRequest): boolean {
  return path === PATHS.followed || path === PATHS.followedTwice;
}
