import { MAX_ATTEMPTS, RETRY_WAITS_MINUTES, STUCK_SENDING_MINUTES } from '../../contract/limits.js';
import { NotChecked } from '../expect.js';
import type { SenderDriver, Step } from './driver.js';
import type { Seen, SenderRule } from './rule.js';
import { EARLY_MS } from './rules/publish.js';
import {
  ARTICLES,
  type ArticleName,
  attemptsOf,
  PATHS,
  REFRESHES,
  type RefreshName,
  type RefreshScenario,
  type Trace,
} from './scenarios.js';
import type { ScriptedReceiver } from './scripted-receiver.js';

const MINUTE_MS = 60_000;
/** How long before the earliest moment of an attempt to watch for one that is too early, in milliseconds. */
const BEFORE_MS = 2 * EARLY_MS;
/** How late an attempt may come, in milliseconds: a worker ticks every minute. */
const GRACE_MS = 2 * MINUTE_MS;
/** The longest wait between attempts, in milliseconds; the sender is watched for as long after the last one. */
const LONGEST_MS = Math.max(...RETRY_WAITS_MINUTES) * MINUTE_MS;

/** Scenarios that are not played with the others. */
const LATER: readonly string[] = ['killed', 'edited'];

/** The parts of a play: the driver and the settings of the check. */
interface Cast {
  readonly driver: SenderDriver;
  readonly secret: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the sender go through the scenarios that the rules need. After an interruption, everything until then counts.
 *
 * @returns its records; undefined if it shows none, or after an interruption.
 */
export async function play(
  receiver: ScriptedReceiver,
  rules: readonly SenderRule[],
  cast: Cast,
): Promise<Seen['records']> {
  const { driver } = cast;
  const { connect, publish, refresh, kill, passTo, passUntilSettled } = stageFor(receiver, cast);
  const names = new Set<ArticleName>(rules.flatMap(({ articles }) => articles));
  const refreshes = new Set<RefreshName>(rules.flatMap((rule) => rule.refreshes));
  const articles = () => [...receiver.articles];
  const others = () =>
    [...receiver.articles, ...receiver.refreshes].filter(([name]) => name !== 'unavailable');
  try {
    await connect(PATHS.registered);
    if (receiver.findings.has('signature')) return undefined;
    const first = keysOf(ARTICLES).filter((name) => names.has(name) && !LATER.includes(name));
    if (first.length > 0) await publish(first);
    const early = await driver.records?.();
    for (const name of keysOf(REFRESHES))
      if (refreshes.has(name) && !LATER.includes(name)) await refresh(name);
    if (names.has('killed')) await kill();
    await passUntilSettled(others);
    if (names.has('edited')) {
      await publish(['edited']);
      if (refreshes.has('edited')) await refresh('edited');
      await connect(PATHS.edited);
      await passUntilSettled(() => articles().filter(([name]) => name === 'edited'));
    }
    await passUntilSettled(articles);
    await passTo(driver.now() + (names.has('unavailable') ? LONGEST_MS : 0) + GRACE_MS + MINUTE_MS);
    const late = await driver.records?.();
    return early && late && { early, late };
  } catch (error) {
    if (error instanceof NotChecked) return undefined; // interrupted
    throw error;
  }
}

type Named = readonly [name: string, trace: Trace];

/** The steps that a sender can be made to take. Each throws NotChecked after an interruption. */
function stageFor(receiver: ScriptedReceiver, { driver, secret, signal }: Cast) {
  const interrupted = new Promise<never>((_, reject) => {
    const end = () => reject(new NotChecked('the check was interrupted'));
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
  });
  interrupted.catch(() => undefined); // the interruption may come while nothing awaits it
  const orInterrupted = <T>(doing: Promise<T>) => Promise.race([doing, interrupted]);

  const take = (step: Step, seen: () => boolean): Promise<void> =>
    orInterrupted(driver.take(step, receiver.until(seen)));

  const connect = (path: string) =>
    take({ kind: 'connect', url: `${receiver.origin}${path}`, secret }, () =>
      receiver.requests.some((request) => request.path === path && request.endedAt !== undefined),
    );

  async function publish(names: readonly ArticleName[]): Promise<void> {
    receiver.expect(names);
    await take({ kind: 'publish', count: names.length }, () =>
      names.every((name) => receiver.articles.get(name)?.requests.at(-1)?.endedAt !== undefined),
    );
  }

  async function refresh(name: RefreshName): Promise<void> {
    const url = receiver.urlOf('accepted');
    if (url === undefined) return; // there is no article to refresh
    const end = receiver.beginRefresh(name);
    await take({ kind: 'refresh', url }, () => hasEnded(name, receiver.refreshes.get(name)));
    end();
  }

  /** Kills the sender in the middle of a publish. */
  async function kill(): Promise<void> {
    const under = () => receiver.articles.get('killed');
    const publishing = publish(['killed']);
    await orInterrupted(Promise.race([publishing, receiver.until(() => under() !== undefined)]));
    const trace = under();
    if (trace === undefined) return;
    await take({ kind: 'kill' }, () => trace.requests[0]?.endedAt !== undefined);
    await orInterrupted(publishing);
  }

  async function passTo(moment: number): Promise<void> {
    if (moment > driver.now()) await orInterrupted(driver.passTo(moment));
  }

  /** Moves time forward until none of these deliveries will be tried again. */
  async function passUntilSettled(traces: () => Iterable<Named>): Promise<void> {
    const dueAmong = (some: Iterable<Named>) => [...some].flatMap(([name, trace]) => dueOf(name, trace));
    const due = () => dueAmong([...receiver.articles, ...receiver.refreshes]);
    while (dueAmong(traces()).length > 0) {
      await passTo(Math.min(...due().map(({ from }) => from)) - BEFORE_MS);
      await passTo(Math.min(...due().map(({ to }) => to)));
      for (const { trace, to } of due()) if (to <= driver.now()) trace.overdue = true;
    }
  }

  return { connect, publish, refresh, kill, passTo, passUntilSettled };
}

/** The earliest and the latest moment of the next attempt; empty if there is none. */
function dueOf(name: string, trace: Trace): { from: number; to: number; trace: Trace }[] {
  const attempts = attemptsOf(trace);
  const last = attempts.at(-1);
  if (last === undefined || trace.overdue || last.last.accepted) return [];
  const isConflict = last.last.event === 'article.updated' && last.last.status === 409;
  const wait =
    name === 'killed' && attempts.length === 1
      ? STUCK_SENDING_MINUTES
      : RETRY_WAITS_MINUTES[attempts.length - 1];
  if (isConflict || wait === undefined || attempts.length >= MAX_ATTEMPTS) return [];
  const ended = last.last.endedAt ?? last.at;
  return [{ from: last.at + wait * MINUTE_MS, to: ended + wait * MINUTE_MS + GRACE_MS, trace }];
}

/** Whether a refresh has reached the end of its scenario. */
function hasEnded(name: RefreshName, trace: Trace | undefined): boolean {
  const { test, lookup }: RefreshScenario = REFRESHES[name];
  const event =
    test !== undefined ? 'webhook.test' : lookup !== undefined ? 'article.lookup' : 'article.updated';
  return trace?.requests.some((request) => request.event === event && request.endedAt !== undefined) ?? false;
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[];
}
