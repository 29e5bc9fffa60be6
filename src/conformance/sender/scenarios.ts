import type { EventName } from '../../contract/limits.js';

/** What a request gets. */
export type Scripted =
  /** The right answer, or one that differs from it in the way that is named. */
  | {
      readonly kind: 'accept';
      readonly change?: (json: Readonly<Record<string, unknown>>) => object;
      readonly large?: true;
    }
  /** 202 without a body. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string }
  /** No answer; the sender gives up, or is killed. */
  | { readonly kind: 'hold'; readonly until: 'timeout' | 'kill' }
  /** The connection is closed after the request was read. */
  | { readonly kind: 'close' };

/** How an article is answered: attempt by attempt; the last answer is that of all later ones. */
export interface ArticleScenario {
  /** What has happened to it, as in "a publish that …". */
  readonly what: string;
  readonly answers: readonly Scripted[];
}

/** How a refresh is answered. What is not named is accepted. */
export interface RefreshScenario {
  readonly test?: Scripted;
  readonly lookup?: Scripted;
  /** Attempt by attempt; the last answer is that of all later ones. */
  readonly updates?: readonly Scripted[];
}

/** Where the sender is pointed at first, where it is pointed later, and where redirects lead. */
export const PATHS = {
  registered: '/webhook',
  edited: '/webhook-edited',
  followed: '/followed',
  followedTwice: '/followed-twice',
} as const;

/** The error text that receivers give; longer than the 200 characters that a sender keeps. */
export const LONG_ERROR = `try again later: ${'ü'.repeat(300)}`;

const accept: Scripted = { kind: 'accept' };
const status = (code: number): Scripted => ({ kind: 'status', status: code });
const redirect: Scripted = { kind: 'redirect', to: PATHS.followed };
const hold: Scripted = { kind: 'hold', until: 'timeout' };
const large: Scripted = { kind: 'accept', large: true };
const once = (what: string, first: Scripted): ArticleScenario => ({ what, answers: [first, accept] });
const refused = (code: number) => once(`was answered ${code}`, status(code));

/** In the order in which articles that arrive get them. */
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

/** In the order in which they are asked for. */
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

/** One request as it came, and what it got. Times are the sender's, in milliseconds. */
export interface SeenRequest {
  readonly event: EventName;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  /** The header that is the moment of sending; NaN where there is none. */
  readonly timestamp: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: number;
  /** When it was answered, or when its connection ended; undefined while it is under way. */
  endedAt?: number;
  /** Undefined if it got no answer. */
  status?: number;
  /** The answer’s JSON. */
  json?: object;
  /** Whether its answer was the right one. */
  accepted: boolean;
}

/** What became of an article or of a refresh. */
export interface Trace {
  readonly requests: SeenRequest[];
  /** Whether another attempt was waited for in vain, for two minutes longer than its wait. */
  overdue: boolean;
}

/** One attempt at a delivery, with the requests of its redirects. */
export interface Attempt {
  readonly at: number;
  readonly first: SeenRequest;
  readonly last: SeenRequest;
}

/** The attempts of a trace to publish or to update; tests and lookups are none. */
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

/** Whether a request came where a redirect led. */
export function isFollowed({ path }: SeenRequest): boolean {
  return path === PATHS.followed || path === PATHS.followedTwice;
}
