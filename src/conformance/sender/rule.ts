import { NotChecked } from '../expect.js';
import type { RuleText } from '../outcome.js';
import type { RequestBreach } from '../traffic/judge-request.js';
import type { DeliveryRecord } from './driver.js';
import type { ArticleName, RefreshName, SeenRequest, Trace } from './scenarios.js';

/** The observations of a sender until a moment. */
export interface Seen {
  readonly requests: readonly SeenRequest[];
  /** The rules that requests break. */
  readonly findings: ReadonlyMap<string, RequestBreach>;
  readonly articles: ReadonlyMap<ArticleName, Trace>;
  readonly refreshes: ReadonlyMap<RefreshName, Trace>;
  /** The URL of the article that was refreshed. */
  readonly articleUrl: string | undefined;
  /** Undefined if the sender shows no records. */
  readonly records:
    | { readonly early: readonly DeliveryRecord[]; readonly late: readonly DeliveryRecord[] }
    | undefined;
  /** The moment, by the sender’s clock. */
  readonly until: number;
}

/** The scenarios that a rule needs, and its check. */
export interface Play {
  readonly articles: readonly ArticleName[];
  readonly refreshes: readonly RefreshName[];
  /** @throws Unmet if the sender breaks the rule, NotChecked if that could not be observed. */
  readonly check: (seen: Seen) => void;
}

/** A testable sentence of the contract about senders. */
export type SenderRule = RuleText & Play;

/** Makes a check of each of its scenarios of articles. */
export function ofArticle(
  names: ArticleName | readonly ArticleName[],
  check: (trace: Trace, seen: Seen, name: ArticleName) => void,
): Play {
  const articles = [names].flat();
  return {
    articles,
    refreshes: [],
    check: (seen) => inEach(articles, (name) => check(articleTrace(seen, name), seen, name)),
  };
}

/** Makes a check of each of its scenarios of refreshes; the refreshed article is the accepted one. */
export function ofRefresh(
  names: RefreshName | readonly RefreshName[],
  check: (trace: Trace, seen: Seen, name: RefreshName) => void,
): Play {
  const refreshes = [names].flat();
  return {
    articles: ['accepted'],
    refreshes,
    check: (seen) => inEach(refreshes, (name) => check(refreshTrace(seen, name), seen, name)),
  };
}

/** Checks each scenario: a broken rule is reported even if another scenario was not observed. */
function inEach<Name>(names: readonly Name[], check: (name: Name) => void): void {
  let unseen: NotChecked | undefined;
  for (const name of names)
    try {
      check(name);
    } catch (error) {
      if (!(error instanceof NotChecked)) throw error;
      unseen ??= error;
    }
  if (unseen !== undefined) throw unseen;
}

/** @throws NotChecked if no article came for the scenario. */
export function articleTrace({ articles }: Seen, name: ArticleName): Trace {
  return seenOf(articles.get(name), 'article');
}

/** @throws NotChecked if no request came for the scenario. */
export function refreshTrace({ refreshes }: Seen, name: RefreshName): Trace {
  return seenOf(refreshes.get(name), 'refresh');
}

function seenOf(trace: Trace | undefined, what: string): Trace {
  if (trace === undefined) throw new NotChecked(`no ${what} came for it`);
  return trace;
}

/** Formats a time span for a person. */
export function inWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
