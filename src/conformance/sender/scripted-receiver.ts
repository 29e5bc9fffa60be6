import { once } from 'node:events';
import { type LookupTarget, updatedAnswer } from '../../contract/answers.js';
import type { Delivery } from '../../contract/envelope.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { headerNames } from '../../contract/service.js';
import type { JudgedRequest, RequestBreach } from '../traffic/judge-request.js';
import {
  type Incoming,
  jsonAnswer,
  type Passed,
  startTrafficServer,
  type TrafficOptions,
} from '../traffic/server.js';
import { createStandIn } from '../traffic/stand-in.js';
import {
  ARTICLES,
  type ArticleName,
  attemptsOf,
  LONG_ERROR,
  PATHS,
  REFRESHES,
  type RefreshName,
  type RefreshScenario,
  type Scripted,
  type SeenRequest,
  type Trace,
} from './scenarios.js';

/** The address of the receiver, and its sender. */
export interface ScriptedReceiverOptions
  extends Pick<TrafficOptions, 'host' | 'port' | 'secret' | 'service' | 'future'> {
  /** The origin by which the sender reaches the receiver. @default its own */
  readonly publicOrigin?: string | undefined;
  /** The sender's clock. */
  readonly now: () => number;
  /** Called for a request that gets no answer before the sender gives up. */
  readonly onHeld?: (() => void) | undefined;
}

/** A receiver that plays scenarios to a sender, and records its requests; see `startScriptedReceiver`. */
export type ScriptedReceiver = Awaited<ReturnType<typeof startScriptedReceiver>>;

const RIGHT: Scripted = { kind: 'accept' };

/** Starts the receiver. @throws PressmarkError USAGE if it cannot listen there. */
export async function startScriptedReceiver(options: ScriptedReceiverOptions) {
  const { now } = options;
  const timestampHeader = headerNames(options.service).timestamp.toLowerCase();
  /** All requests with bodies that the contract describes. */
  const requests: SeenRequest[] = [];
  /** The first broken rule of each kind in requests. */
  const findings = new Map<string, RequestBreach>();
  const articles = new Map<ArticleName, Trace>();
  const refreshes = new Map<RefreshName, Trace>();
  const articleNames = new Map<string, ArticleName>();
  const drafts = new Map<string, { readonly name: RefreshName; readonly body: Buffer }>();
  const waiting = new Set<() => void>();
  let expected: readonly ArticleName[] = [];
  let current: RefreshName | undefined;
  let count = 0;

  const changed = () => {
    for (const look of [...waiting]) look();
  };

  /** Assigns a request to a scenario's trace, and decides on its response. */
  function place(delivery: Delivery, request: SeenRequest): Scripted {
    if (delivery.event === 'article.published') {
      const name = articleNames.get(delivery.data.id) ?? expected[0];
      if (name === undefined) return RIGHT;
      if (!articleNames.has(delivery.data.id)) expected = expected.slice(1);
      articleNames.set(delivery.data.id, name);
      return attemptAnswer(traceIn(articles, name, request), ARTICLES[name].answers, request);
    }
    if (delivery.event === 'article.updated') {
      const known = drafts.get(delivery.data.id);
      // The id of another draft with a different text was reused.
      const isRetry = known?.body.equals(request.body) || current === undefined;
      const name = isRetry ? known?.name : current;
      if (name === undefined) return RIGHT;
      drafts.set(delivery.data.id, { name, body: request.body });
      const { updates = [RIGHT] }: RefreshScenario = REFRESHES[name];
      return attemptAnswer(traceIn(refreshes, name, request), updates, request);
    }
    if (current === undefined) return RIGHT;
    traceIn(refreshes, current, request);
    const { test = RIGHT, lookup = RIGHT }: RefreshScenario = REFRESHES[current];
    return redirectedOr(delivery.event === 'webhook.test' ? test : lookup, request);
  }

  async function answer(
    judged: JudgedRequest,
    incoming: Incoming,
    gone: AbortSignal,
  ): Promise<Passed | undefined> {
    count++;
    // A redirect that was followed with GET has lost body and headers: report only that.
    for (const finding of judged.findings)
      if (!findings.has(finding.rule) && (incoming.method === 'POST' || finding.rule === 'post'))
        findings.set(finding.rule, finding);
    const { delivery } = judged;
    if (judged.signature !== 'right' || delivery === undefined) {
      changed();
      const [finding] = judged.findings;
      return jsonAnswer(judged.signature === 'right' ? 400 : 401, { error: finding?.says ?? 'refused' });
    }
    const { data } = delivery;
    const { method, path, body, headers } = incoming;
    const timestamp = Number(headers[timestampHeader] ?? Number.NaN);
    const request: SeenRequest = {
      ...{ event: delivery.event, method, path, body, timestamp, data: { ...data } },
      ...{ at: now(), accepted: false },
    };
    requests.push(request);
    const scripted = place(delivery, request);
    changed();
    const passed = await played(scripted, judged, delivery, request, gone);
    request.endedAt = now();
    changed();
    return passed;
  }

  async function played(
    scripted: Scripted,
    judged: JudgedRequest,
    delivery: Delivery,
    request: SeenRequest,
    gone: AbortSignal,
  ): Promise<Passed | undefined> {
    switch (scripted.kind) {
      case 'hold':
        if (scripted.until === 'timeout') options.onHeld?.();
        if (!gone.aborted) await once(gone, 'abort');
        return undefined;
      case 'close':
        return undefined;
      case 'redirect': {
        request.status = 307;
        return {
          status: 307,
          headers: ['Location', scripted.to, 'Content-Length', '0'],
          body: Buffer.alloc(0),
        };
      }
      case 'status':
        request.status = scripted.status;
        return jsonAnswer(scripted.status, { error: LONG_ERROR });
      case 'bare':
        Object.assign(request, { status: 202, accepted: true });
        return { status: 202, headers: ['Content-Length', '0'], body: Buffer.alloc(0) };
      case 'accept': {
        const right =
          delivery.event === 'article.updated'
            ? { status: 200, json: updatedAnswer(delivery.data.revision_id) }
            : standIn(judged);
        const json = scripted.change?.({ ...right.json }) ?? right.json;
        const isDelivered = delivery.event === 'article.published' || (!scripted.change && !scripted.large);
        Object.assign(request, { status: right.status, json, accepted: right.status === 200 && isDelivered });
        return scripted.large ? padded(jsonAnswer(right.status, json)) : jsonAnswer(right.status, json);
      }
    }
  }

  const server = await startTrafficServer({
    ...options,
    answer: (judged, ...others) => answer(judged(), ...others),
  });
  const origin = options.publicOrigin ?? server.origin;
  const standIn = createStandIn(origin);

  return {
    origin,
    requests,
    findings,
    /** The number of requests so far. */
    count: () => count,
    articles,
    refreshes,
    /** Gives the next new articles these scenarios. */
    expect: (names: readonly ArticleName[]): void => {
      expected = names;
    },
    /** Assigns the following requests to this refresh, until the returned function is called. */
    beginRefresh: (name: RefreshName): (() => void) => {
      current = name;
      return () => {
        current = undefined;
      };
    },
    /** The public URL of an accepted article. */
    urlOf: (name: ArticleName): string | undefined => {
      const url = Object(articles.get(name)?.requests[0]?.json).url;
      return typeof url === 'string' ? url : undefined;
    },
    /** Resolves as soon as a condition holds. */
    until: (holds: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: server.close,
  };
}

function traceIn<Name>(traces: Map<Name, Trace>, name: Name, request: SeenRequest): Trace {
  const trace = traces.get(name) ?? { requests: [], overdue: false };
  traces.set(name, trace);
  trace.requests.push(request);
  trace.overdue = false;
  return trace;
}

/** The response to the attempt of this request; its redirects lead to a right answer. */
function attemptAnswer(trace: Trace, answers: readonly Scripted[], request: SeenRequest): Scripted {
  const attempt = attemptsOf(trace).length;
  return redirectedOr(answers[Math.min(attempt, answers.length) - 1] ?? RIGHT, request);
}

function redirectedOr(scripted: Scripted, { path }: SeenRequest): Scripted {
  if (path === PATHS.followed) return RIGHT;
  return path === PATHS.followedTwice ? { kind: 'redirect', to: PATHS.followed } : scripted;
}

/** The same answer with more bytes than a sender reads. */
function padded({ status, body }: Passed): Passed {
  const longer = Buffer.concat([body, Buffer.alloc(MAX_BODY_BYTES, ' ')]);
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(longer.length)],
    body: longer,
  };
}

/** The target in the answer to a lookup. */
export function targetIn({ json }: SeenRequest): Partial<LookupTarget> {
  return Object(Object(json).target);
}
