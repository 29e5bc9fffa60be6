import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { RETRY_WAITS_MINUTES } from '../contract/limits.js';
import { messageOf, PressmarkError } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Outcome } from './delivery/delivery.js';
import type { Reply } from './delivery/transport.js';
import type { SenderState } from './state.js';

const schema = z.object({
  /** The time of the receiver's request; ISO 8601. */
  since: z.iso.datetime(),
  /** ISO 8601. */
  until: z.iso.datetime(),
  why: z.string(),
  /** The number of pauses in a row because of a 410; 0 if the receiver asked for this one. */
  gone: z.int().min(0),
});

/** A pause during which nothing is sent to a receiver. Its deliveries stay pending, and their own waits continue. */
export type Pause = z.infer<typeof schema>;

/** The parts of an answer that may cause a pause. */
type Answer = Pick<Reply, 'status' | 'headers'>;

const MINUTE_MS = 60_000;
/** The longest pause, in milliseconds; a longer `Retry-After` is taken for a mistake. */
const LONGEST_MS = 86_400_000;

/**
 * The pause that an answer causes. A 429 or 503 may contain its length. A 410 means that the receiver is gone, and causes
 * pauses as long as the waits between attempts. Those are minima, so pauses do not change delivery records.
 *
 * @param before the last pause of this receiver since it accepted an article.
 * @param now milliseconds since the epoch.
 */
function pauseAfter({ status, headers }: Answer, before: Pause | undefined, now: number): Pause | undefined {
  const retryAfter = headers['retry-after'];
  const gone = status === 410 ? (before?.gone ?? 0) + 1 : 0;
  const ms = gone > 0 ? waitOf(gone) : waitIn(status, retryAfter, now);
  if (ms <= 0) return undefined;
  const words = retryAfter === undefined ? '' : `, Retry-After: ${retryAfter.slice(0, 40)}`;
  const moment = (at: number) => new Date(at).toISOString();
  return { since: moment(now), until: moment(now + ms), why: `HTTP ${status}${words}`, gone };
}

function waitOf(attempt: number): number {
  return (RETRY_WAITS_MINUTES[attempt - 1] ?? RETRY_WAITS_MINUTES.at(-1) ?? 0) * MINUTE_MS;
}

/** The wait in `Retry-After`, as seconds or a date. A 429 is about the sender, not the article, and causes one by itself. */
function waitIn(status: number, retryAfter: string | undefined, now: number): number {
  if (status !== 429 && status !== 503) return 0;
  const said = retryAfter?.trim() ?? '';
  const isSeconds = /^\d+$/.test(said);
  const ms = isSeconds ? Number(said) * 1000 : Date.parse(said) - now;
  if (isSeconds || ms > 0) return Math.min(ms, LONGEST_MS);
  return status === 429 ? waitOf(1) : 0; // no moment, or one in the past, as of a clock that is slow
}

/** The current pause of a receiver; undefined if there is none. */
export function pauseOf(state: SenderState, url: string, now: number): Pause | undefined {
  const pause = lastPause(state, url);
  return pause !== undefined && Date.parse(pause.until) > now ? pause : undefined;
}

/**
 * Records the effect of an attempt: a pause begins, or ends when the receiver accepts an article.
 *
 * @param url the receiver's.
 * @param began when the attempt began, in milliseconds since the epoch: an attempt that began before the pause does not end it.
 * @param now milliseconds since the epoch.
 * @throws PressmarkError QUEUE_FAILED
 */
export async function noteOutcome(
  state: SenderState,
  url: string,
  outcome: Outcome,
  began: number,
  now: number,
): Promise<void> {
  if (outcome.result === 'refused' && outcome.reply !== undefined)
    await notePause(state, url, outcome.reply, now);
  if (outcome.result !== 'accepted') return;
  const pause = lastPause(state, url);
  if (pause !== undefined && Date.parse(pause.since) < began) endPause(state, url);
}

/**
 * Records the pause that an answer causes, if any.
 *
 * @param url the receiver's.
 * @param now milliseconds since the epoch.
 * @throws PressmarkError QUEUE_FAILED
 */
export async function notePause(state: SenderState, url: string, answer: Answer, now: number): Promise<void> {
  const pause = pauseAfter(answer, lastPause(state, url), now);
  const current = pauseOf(state, url, now);
  // Requests that were under way when the pause began get the same answer.
  const isKnown = current !== undefined && (current.gone > 0 || current.until >= (pause?.until ?? ''));
  if (pause === undefined || isKnown) return;
  try {
    await writeAtomically(fileOf(state, url), `${JSON.stringify(pause)}\n`, 0o600);
  } catch (cause) {
    throw cannotStore(`${url} asks for a pause until ${pause.until}, which`, cause);
  }
}

/** Ends the pause of a receiver. @throws PressmarkError QUEUE_FAILED */
export function endPause(state: SenderState, url: string): void {
  try {
    fs.rmSync(fileOf(state, url), { force: true });
  } catch (cause) {
    throw cannotStore(`the end of the pause of ${url}`, cause);
  }
}

function cannotStore(what: string, cause: unknown): PressmarkError {
  return new PressmarkError('QUEUE_FAILED', `${what} cannot be stored: ${messageOf(cause)}`, { cause });
}

function lastPause(state: SenderState, url: string): Pause | undefined {
  const path = fileOf(state, url);
  if (!fs.existsSync(path)) return undefined;
  try {
    return schema.parse(JSON.parse(fs.readFileSync(path, 'utf8')));
  } catch {
    return undefined; // an unreadable pause is ignored: the receiver will ask again
  }
}

function fileOf(state: SenderState, url: string): string {
  return join(state.pauses, `${hash('sha256', url).slice(0, 16)}.json`);
}
