import { NotChecked } from '../expect.js';
import type { RuleText } from '../outcome.js';
import type { RequestBreach } from '../traffic/judge-request.js';
import type { DeliveryRecord } from './driver.js';
import type { ArticleName, RefreshName, SeenRequest, Trace } from './scenarios.js';

/** What was seen of a sender until a moment. */
export interface Seen {
  readonly requests: readonly SeenRequest[];
  /** What requests break. */
  readonly findings: ReadonlyMap<string, RequestBreach>;
  readonly articles: ReadonlyMap<ArticleName, Trace>;
  readonly refreshes: ReadonlyMap<RefreshName, Trace>;
  /** Why steps were not taken. */
  readonly untried: ReadonlyMap<ArticleName | RefreshName, string>;
  /** The URL of the article that was refreshed. */
  readonly articleUrl: string | undefined;
  /** Undefined if the sender shows none. */
  readonly records:
    | { readonly early: readonly DeliveryRecord[]; readonly late: readonly DeliveryRecord[] }
    | undefined;
  /** The moment, by the sender’s time. */
  readonly until: number;
}

/** One testable sentence of the contract about senders. */
export interface SenderRule extends RuleText {
  readonly articles: readonly ArticleName[];
  readonly refreshes: readonly RefreshName[];
  /** @throws Unmet where the sender does not keep the rule, NotChecked where that was not seen. */
  readonly check: (seen: Seen) => void;
}

/** A rule without its number, which is that of its place among all. */
export type UnnumberedRule = Omit<SenderRule, 'number'>;

type Own = Omit<UnnumberedRule, 'section' | 'level' | 'articles' | 'refreshes'> &
  Partial<Pick<SenderRule, 'section' | 'level' | 'articles' | 'refreshes'>>;

/** Rules of one section of the contract. */
export function senderRules(section: string, own: readonly Own[]): UnnumberedRule[] {
  return own.map((rule) => ({ section, level: 'must', articles: [], refreshes: [], ...rule }));
}

/** @throws NotChecked where no article came for the scenario. */
export function articleTrace({ articles, untried }: Seen, name: ArticleName): Trace {
  const trace = articles.get(name);
  const why = untried.get(name);
  if (trace === undefined || why !== undefined) throw new NotChecked(why ?? 'no article came for it');
  return trace;
}

/** @throws NotChecked where no request came for the scenario. */
export function refreshTrace({ refreshes, untried }: Seen, name: RefreshName): Trace {
  const trace = refreshes.get(name);
  const why = untried.get(name);
  if (trace === undefined || why !== undefined) throw new NotChecked(why ?? 'no refresh came for it');
  return trace;
}

/** A span of time for a person. */
export function inWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
