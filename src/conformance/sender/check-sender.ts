import { MAX_ATTEMPTS, RETRY_WAITS_MINUTES, STUCK_SENDING_MINUTES } from '../../contract/limits.js';
import { NotChecked, outcomeOfError, Unmet } from '../expect.js';
import { type Outcome, type Report, ruleNamed } from '../outcome.js';
import { redactor } from '../redact.js';
import type { SenderDriver, Step } from './driver.js';
import { inWords, type Seen, type SenderRule } from './rule.js';
import { SENDER_RULES } from './rules/all.js';
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
import {
  type ScriptedReceiver,
  type ScriptedReceiverOptions,
  startScriptedReceiver,
} from './scripted-receiver.js';

export interface SenderCheckOptions extends Omit<ScriptedReceiverOptions, 'now' | 'future'> {
  readonly driver: SenderDriver;
  /** What is checked, for the report. */
  readonly sender: string;
  /** These rules alone, by their ids or numbers. */
  readonly only?: readonly string[] | undefined;
  /** Rules that are left out. */
  readonly skip?: readonly string[] | undefined;
  /** Ends the check; the report says what was seen until then. */
  readonly signal?: AbortSignal | undefined;
}

const MINUTE_MS = 60_000;
/** So long before an attempt may come it is looked whether one comes too early. */
const BEFORE_MS = 5000;
/** So much later than its wait an attempt may come: a worker ticks every minute. */
const GRACE_MS = 2 * MINUTE_MS;
/** The longest wait between attempts; after the last one it is watched for as long. */
const LONGEST_MS = Math.max(...RETRY_WAITS_MINUTES) * MINUTE_MS;

/** The clocks of two machines may differ by so much; where the sender's time passes faster, so do they. */
const CLOCKS_DIFFER_MS = 10 * MINUTE_MS;

/** So many requests of a scenario are shown with a finding. */
const MOST_SHOWN = 8;

/** After these answers a sender may leave the receiver alone for a while, so nothing else is to be sent then. */
const PAUSING = ['answered-410', 'answered-429'] as const;

/**
 * Holds a sender against the contract: plays scenarios to it as its receiver, has it act through the driver, and judges
 * what it does by the rules.
 *
 * @throws PressmarkError USAGE if `only` or `skip` names no rule, or if it cannot listen.
 */
export async function checkSender(options: SenderCheckOptions): Promise<Report> {
  const { driver, secret, sender, skip = [] } = options;
  const named = (id: string) => ruleNamed(id, SENDER_RULES, 'check-sender');
  const left = new Set(skip.map((id) => named(id).id));
  const only = options.only?.map(named);
  const rules = (only ?? SENDER_RULES).filter(({ id }) => !left.has(id));
  const started = performance.now();
  const receiver = await startScriptedReceiver({
    ...options,
    now: driver.now,
    future: () => driver.now() + CLOCKS_DIFFER_MS * (driver.speed ?? 1),
  });
  try {
    const { untried, records } = await play(receiver, rules, options);
    const { articles, refreshes, requests, findings } = receiver;
    const seen: Seen = {
      ...{ articles, refreshes, requests, findings, untried, records },
      articleUrl: receiver.urlOf('accepted'),
      until: driver.now(),
    };
    const redact = redactor(secret, new URL(receiver.origin));
    return {
      url: sender,
      subject: 'Sender',
      checkedAs: 'a sender',
      outcomes: rules.map((rule) => outcomeOf(rule, seen, redact)),
      notes: [],
      requests: receiver.count(),
      ms: Math.round(performance.now() - started),
    };
  } finally {
    await receiver.close();
  }
}

interface Played {
  readonly untried: Map<ArticleName | RefreshName, string>;
  records: Seen['records'];
}

/** Has the sender go through the scenarios that the rules need. */
async function play(
  receiver: ScriptedReceiver,
  rules: readonly SenderRule[],
  { driver, secret, signal }: SenderCheckOptions,
): Promise<Played> {
  const played: Played = { untried: new Map(), records: undefined };
  const { untried } = played;
  const interrupted = new Promise<never>((_, reject) => {
    const end = () => reject(new NotChecked('the check was interrupted'));
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
  });
  interrupted.catch(() => undefined); // nobody may be waiting when it comes
  const orInterrupted = <T>(doing: Promise<T>) => Promise.race([doing, interrupted]);

  /** @returns why the sender cannot be made to take the step; undefined if it has taken it. */
  async function take(step: Step, seen: () => boolean): Promise<string | undefined> {
    try {
      await orInterrupted(driver.take(step, receiver.until(seen)));
      return undefined;
    } catch (error) {
      if (error instanceof NotChecked && !signal?.aborted) return error.message;
      throw error;
    }
  }
  const connect = (path: string) =>
    take({ kind: 'connect', url: `${receiver.origin}${path}`, secret }, () =>
      receiver.requests.some((request) => request.path === path && request.endedAt !== undefined),
    );
  async function publish(names: readonly ArticleName[]): Promise<void> {
    receiver.expect(names);
    const why = await take({ kind: 'publish', count: names.length }, () =>
      names.every((name) => receiver.articles.get(name)?.requests.at(-1)?.endedAt !== undefined),
    );
    for (const name of names) if (why !== undefined) untried.set(name, why);
  }
  async function refresh(name: RefreshName): Promise<void> {
    const url = receiver.urlOf('accepted');
    if (url === undefined) return void untried.set(name, 'no article was published that could be refreshed');
    const end = receiver.beginRefresh(name);
    const why = await take({ kind: 'refresh', url }, () => hasEnded(name, receiver.refreshes.get(name)));
    end();
    if (why !== undefined) untried.set(name, why);
  }
  async function kill(): Promise<void> {
    const under = () => receiver.articles.get('killed');
    const publishing = publish(['killed']);
    await orInterrupted(Promise.race([publishing, receiver.until(() => under() !== undefined)]));
    const trace = under();
    if (trace === undefined) return;
    const why = await take({ kind: 'kill' }, () => trace.requests[0]?.endedAt !== undefined);
    await orInterrupted(publishing);
    if (why === undefined) return;
    untried.set('killed', why);
    trace.overdue = true; // no attempt is waited for
  }

  const names = new Set<ArticleName>(rules.flatMap(({ articles }) => articles));
  const refreshes = new Set<RefreshName>(rules.flatMap((rule) => rule.refreshes));
  const later: readonly string[] = ['killed', 'edited', ...PAUSING];
  const first = keysOf(ARTICLES).filter((name) => names.has(name) && !later.includes(name));
  try {
    await connect(PATHS.registered);
    if (receiver.findings.has('signature')) return played;
    if (first.length > 0) await publish(first);
    const early = await driver.records?.();
    for (const name of keysOf(REFRESHES))
      if (refreshes.has(name) && !later.includes(name)) await refresh(name);
    if (names.has('killed')) await kill();
    const others = () =>
      [...receiver.articles, ...receiver.refreshes].filter(([name]) => name !== 'unavailable');
    await passUntilSettled(others);
    for (const name of PAUSING)
      if (names.has(name)) {
        await publish([name]);
        await passUntilSettled(others);
      }
    if (names.has('edited')) {
      await publish(['edited']);
      if (refreshes.has('edited')) await refresh('edited');
      const why = await connect(PATHS.edited);
      if (why !== undefined) untried.set('edited', why);
      else await passUntilSettled(() => [...receiver.articles].filter(([name]) => name === 'edited'));
    }
    await passUntilSettled(() => [...receiver.articles]);
    await passTo(driver.now() + (names.has('unavailable') ? LONGEST_MS : 0) + GRACE_MS + MINUTE_MS);
    const late = await driver.records?.();
    if (early !== undefined && late !== undefined) played.records = { early, late };
  } catch (error) {
    if (!(error instanceof NotChecked)) throw error; // interrupted: what was seen is judged
  }
  return played;

  async function passTo(moment: number): Promise<void> {
    if (moment > driver.now()) await orInterrupted(driver.passTo(moment));
  }

  /** Lets time pass until none of these deliveries is to be tried again. */
  async function passUntilSettled(traces: () => readonly (readonly [string, Trace])[]): Promise<void> {
    const all = () =>
      [...receiver.articles, ...receiver.refreshes].flatMap(([name, trace]) => dueOf(name, trace));
    for (;;) {
      if (traces().flatMap(([name, trace]) => dueOf(name, trace)).length === 0) return;
      const next = Math.min(...all().map(({ from }) => from));
      await passTo(next - BEFORE_MS);
      await passTo(Math.min(...all().map(({ to }) => to)));
      for (const { trace, to } of all()) if (to <= driver.now()) trace.overdue = true;
    }
  }
}

/** When another attempt may come, at the earliest and at the latest; nothing if none is to come. */
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

/** Whether a refresh has come as far as its scenario lets it. */
function hasEnded(name: RefreshName, trace: Trace | undefined): boolean {
  const { test, lookup }: RefreshScenario = REFRESHES[name];
  const event =
    test !== undefined ? 'webhook.test' : lookup !== undefined ? 'article.lookup' : 'article.updated';
  return trace?.requests.some((request) => request.event === event && request.endedAt !== undefined) ?? false;
}

function outcomeOf(rule: SenderRule, seen: Seen, redact: (text: string) => string): Outcome {
  if (rule.id !== 'signature' && seen.findings.has('signature'))
    return { rule, result: 'not checked', why: 'it needs signature, which is failed', ms: 0 };
  if (seen.requests.length === 0 && seen.findings.size === 0)
    return { rule, result: 'not checked', why: 'no request came', ms: 0 };
  try {
    rule.check(seen);
    return { rule, result: 'passed', ms: 0 };
  } catch (error) {
    const outcome = { rule, ...outcomeOfError(error, rule.level === 'must', redact), ms: 0 };
    return error instanceof Unmet ? { ...outcome, exchange: requestsOf(rule, seen).map(redact) } : outcome;
  }
}

/** What came for the scenarios of a rule, a line each. */
function requestsOf(rule: SenderRule, { articles, refreshes, requests }: Seen): string[] {
  const traces = [
    ...rule.articles.map((name) => [name, articles.get(name)?.requests ?? []] as const),
    ...rule.refreshes.map((name) => [name, refreshes.get(name)?.requests ?? []] as const),
  ];
  const start = requests[0]?.at ?? 0;
  return traces.flatMap(([name, some]) =>
    some.slice(0, MOST_SHOWN).map(({ at, event, path, body, status }) => {
      const answer = status === undefined ? 'got no answer' : `answered ${status}`;
      return `    ${name.padEnd(16)}  ${event} to ${path} after ${inWords(at - start)}, ${body.length} bytes, ${answer}`;
    }),
  );
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[];
}
