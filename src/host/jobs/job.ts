import type { Log } from '../../log.js';
import type { ListedArticle } from '../articles/articles.js';
import type { Actions, JobEventName } from '../hooks/hook-types.js';

/** An article that was stored, as it is when the job runs: it may have changed since. */
export interface StoredEvent {
  readonly event: 'article.published' | 'article.updated';
  readonly article: ListedArticle;
  /** The delivery's `timestamp`. */
  readonly timestamp: string;
  /** When it was noted, just before its answer, ISO 8601. */
  readonly at: string;
}

/** The event that a job's `run` gets. */
export type JobEvent<N extends JobEventName> = N extends StoredEvent['event'] ? StoredEvent : Actions[N];

/** The context that a job's `run` gets. */
export interface JobContext {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted when the time limit is reached, and when the receiver stops; pass it to `fetch`. */
  readonly signal: AbortSignal;
  /** A log that names the plugin and the job. */
  readonly log: Log;
}

/** A job; see `ReceiverHost.job`. */
export interface Job<N extends JobEventName> {
  readonly on: N;
  /**
   * `ever`: the job also runs for all articles that exist at its first start; only for `article.published`. @default
   * 'activation'
   */
  readonly since?: 'activation' | 'ever';
  /** How long an attempt may take, in milliseconds. @default 300000 */
  readonly timeoutMs?: number;
  /** Does the work, once for each event. If it throws, it is called again after a pause. */
  run(event: JobEvent<N>, context: JobContext): unknown;
}

/** Work at certain times; see `ReceiverHost.cron`. */
export interface Cron {
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 3 * * *`. */
  readonly at: string;
  /** IANA name. @default that of the site */
  readonly timeZone?: string;
  /** How long an attempt may take, in milliseconds. @default 300000 */
  readonly timeoutMs?: number;
  /** Does the work. If it throws, it is called again after a pause. */
  run(context: JobContext): unknown;
}

/** The state of a job for one event. Nothing is kept of a finished job. */
export type JobState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly attempt: number; readonly since: string }
  | {
      readonly kind: 'failed';
      readonly attempt: number;
      readonly error: string;
      /** When it is tried again, ISO 8601. */
      readonly nextAt: string;
    }
  | { readonly kind: 'givenUp'; readonly attempt: number; readonly error: string; readonly at: string };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after failed attempts, in milliseconds: two days in all. */
const PAUSES_MS = [
  SECOND,
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** The longest error message that is kept, in characters. */
const LONGEST_ERROR = 500;

/** How often the job has been called for this event. */
export function attemptsIn(state: JobState): number {
  return state.kind === 'waiting' ? 0 : state.attempt;
}

/** Whether an attempt may begin. A time that no pause reaches was set before the clock was set back. */
export function isDue(state: JobState, now: number): boolean {
  if (state.kind !== 'failed') return state.kind === 'waiting';
  const left = Date.parse(state.nextAt) - now;
  return left <= 0 || left > Math.max(...PAUSES_MS);
}

/** The state of a job after a failed attempt. */
export function afterFailure(attempt: number, words: string, now: number): JobState {
  const error = words.slice(0, LONGEST_ERROR);
  const pause = PAUSES_MS[attempt - 1];
  return pause === undefined
    ? { kind: 'givenUp', attempt, error, at: isoOf(now) }
    : { kind: 'failed', attempt, error, nextAt: isoOf(now + pause) };
}

/** The state of a job after its receiver died. The job may be the cause, so there is a pause. */
export function afterEnd(state: JobState, now: number): JobState {
  return state.kind === 'running'
    ? afterFailure(state.attempt, 'the receiver ended while this ran', now)
    : state;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
