import { outcomeOfError, Unmet } from '../expect.js';
import { type Outcome, type Report, ruleNamed } from '../outcome.js';
import { redactor } from '../redact.js';
import type { SenderDriver } from './driver.js';
import { play } from './play.js';
import { inWords, type Seen, type SenderRule } from './rule.js';
import { SENDER_RULES } from './rules/all.js';
import { type ScriptedReceiverOptions, startScriptedReceiver } from './scripted-receiver.js';

export interface SenderCheckOptions extends Omit<ScriptedReceiverOptions, 'now' | 'future'> {
  readonly driver: SenderDriver;
  /** The name of the sender, for the report. */
  readonly sender: string;
  /** Checks only these rules, by id or number. */
  readonly only?: readonly string[] | undefined;
  /** Leaves out these rules. */
  readonly skip?: readonly string[] | undefined;
  /** Ends the check; the report covers everything until then. */
  readonly signal?: AbortSignal | undefined;
}

/** The largest difference between the clocks of two machines, in milliseconds. */
const CLOCKS_DIFFER_MS = 600_000;

/** The most requests of a scenario that are shown with a finding. */
const MOST_SHOWN = 8;

/**
 * Checks a sender against the contract: plays scenarios as its receiver, makes it act through the driver, and judges its
 * behaviour by the rules.
 *
 * @throws PressmarkError USAGE if `only` or `skip` contains an unknown rule, or if it cannot listen.
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
    future: () => driver.now() + CLOCKS_DIFFER_MS,
  });
  try {
    const records = await play(receiver, rules, options);
    const { articles, refreshes, requests, findings } = receiver;
    const seen: Seen = {
      ...{ articles, refreshes, requests, findings, records },
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

function outcomeOf(rule: SenderRule, seen: Seen, redact: (text: string) => string): Outcome {
  if (rule.id !== 'signature' && seen.findings.has('signature'))
    return { rule, result: 'not checked', why: 'it needs signature (failed)', ms: 0 };
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

/** The requests in the scenarios of a rule, one per line. */
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
