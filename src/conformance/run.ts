import type { Service } from '../contract/service.js';
import { PressmarkError } from '../errors.js';
import { describe, NotChecked, outcomeOfError, Unmet } from './expect.js';
import { type Outcome, type Report, ruleNamed } from './outcome.js';
import { redactor, shownUrl } from './redact.js';
import { exchangeLines } from './report/exchange.js';
import type { Rule } from './rule.js';
import { RULES, withNeeds } from './rules/all.js';
import { Session, type SessionOptions } from './session.js';
import { type Version, versionMeant } from './version.js';

/** An article that the run left behind; its texts contain no secret. */
export interface Left {
  readonly id: string;
  readonly url: string | undefined;
}

/** The result of a run against a receiver. */
export interface ReceiverReport extends Report {
  /** The version for which the receiver was checked; undefined if unknown. */
  readonly version: Version | undefined;
  /** The answer to the first webhook.test. */
  readonly firstTest: string;
  /** The prefix of the ids of all articles of this run. */
  readonly run: string;
  readonly left: readonly Left[];
}

export interface ConformanceOptions extends SessionOptions {
  /** Checks only these rules, by id or number, and those that they need. */
  readonly only?: readonly string[] | undefined;
  /** Leaves out these rules; rules that need them are checked nevertheless. */
  readonly skip?: readonly string[] | undefined;
  /** Rules that are known to fail, and are no failure of this run. */
  readonly known?: readonly string[] | undefined;
  readonly onOutcome?: ((outcome: Outcome, done: number, of: number) => void) | undefined;
}

/**
 * Checks a receiver against the contract, rule by rule.
 *
 * @throws PressmarkError UNREACHABLE if there is nothing at the URL, USAGE if `only` or `skip` contains an unknown rule.
 */
export async function checkReceiver(options: ConformanceOptions): Promise<ReceiverReport> {
  const skipped = new Set((options.skip ?? []).map((id) => ruleNamed(id, RULES, 'check').id));
  const known = new Set(options.known);
  const rules = chosen(options.only).map((rule) => inWordsOf(options.service, rule));
  const session = new Session(options);
  const started = performance.now();
  const redact = redactor(options.secret, options.url);
  const first = await session.firstReply();
  if (first.kind === 'silence' && first.why === 'unreachable')
    throw new PressmarkError(
      'UNREACHABLE',
      redact(`${shownUrl(options.url)} cannot be reached: ${first.reason}; ${first.fix ?? ''}`),
    );
  session.version = options.as ?? (first.kind === 'answer' ? versionMeant(first) : 3);
  const outcomes = new Map<string, Outcome>();
  const blocking = new Set<string>();
  const { entries } = session.sender;
  let stopped: string | undefined;
  let begun = 0;
  for (const rule of rules) {
    const why = stopped ?? (skipped.has(rule.id) ? '--skip leaves it out' : undefined);
    let outcome: Outcome =
      why === undefined
        ? await outcomeOf(rule, session, outcomes, blocking, redact)
        : { rule, result: 'not checked', why, ms: 0 };
    const stop = await stopSince(session, begun);
    begun = entries.length;
    if (stop !== undefined) {
      const { why: ended, hint, ...finding } = stop;
      stopped = redact(`the receiver ${ended} at ${rule.id}`);
      outcome = {
        ...finding,
        rule: { ...rule, hint },
        result: 'failed',
        got: redact(stop.got),
        ms: outcome.ms,
      };
    } else if (outcome.result === 'failed' && known.has(rule.id)) outcome = { ...outcome, result: 'known' };
    outcomes.set(rule.id, outcome);
    options.onOutcome?.(outcome, outcomes.size, rules.length);
  }
  const version = options.as !== undefined || !blocking.has('request-accepted') ? session.version : undefined;
  const subject = version === undefined ? 'version unknown' : `Version ${version}`;
  const found = {
    version,
    firstTest: redact(describe(first)),
    run: session.run,
    left: [...session.left].map(([id, url]) => ({
      id: redact(id),
      url: url === undefined ? undefined : redact(url),
    })),
  };
  return {
    url: shownUrl(options.url),
    subject,
    checkedAs: `a receiver of ${subject}`,
    ...found,
    notes: notesOf(found, options.as === undefined),
    outcomes: [...outcomes.values()],
    requests: session.sender.entries.length,
    ms: Math.round(performance.now() - started),
  };
}

type Found = Pick<ReceiverReport, 'version' | 'firstTest' | 'run' | 'left'>;

const UPGRADE = {
  1: 'Its answer to webhook.test has no version and capabilities, so the service treats the receiver as Version 1 and cannot refresh articles. To check it as Version 3, use --as 3.',
  2: 'Version 3 is current: its receivers answer each publish with the article’s id and URL. To check the receiver as Version 3, use --as 3.',
} as const;

/** @param isStated whether the receiver states the version, as opposed to a person. */
function notesOf({ version, firstTest, left, run }: Found, isStated: boolean): string[] {
  const upgrade =
    isStated && (version === 1 || version === 2)
      ? [`Its answer to webhook.test: ${firstTest}. ${UPGRADE[version]}`]
      : [];
  if (left.length === 0) return upgrade;
  const lines = [
    left.length === 1 ? 'The run left one article:' : `The run left ${left.length} articles:`,
    ...left.map(({ id, url }) => (url === undefined ? `  ${id}` : `  ${id}  ${url}`)),
    `Remove the articles whose ids begin with pressmark-check-${run}- in the receiver’s own admin or store. In a Pressmark site: grep -rlE '^ *id: "?pressmark-check-${run}-' content | xargs rm`,
  ];
  return [...upgrade, lines.join('\n')];
}

const FAILED_HINT = 'The receiver failed at this request: read its log.';

/** The end of a run: further checks would not show anything about the receiver itself. */
interface Stop extends Required<Pick<Outcome, 'expected' | 'got'>> {
  /** The receiver's behaviour, as in "the receiver … at update-200". */
  readonly why: string;
  readonly hint: string;
}

/** Whether a rule was the last one that could be checked, by the answers since it began. */
async function stopSince(session: Session, begun: number): Promise<Stop | undefined> {
  const isLimited = session.sender.entries
    .slice(begun)
    .some(({ trial, reply }) => !trial && reply.kind === 'answer' && reply.status === 429);
  if (isLimited)
    return {
      why: 'began to limit requests (429)',
      expected: 'an answer to each request',
      got: 'status 429, which does not tell whether the request is right',
      hint: 'The receiver limits requests. Exempt the requests of the service, or check it with a lower --rate.',
    };
  const reply = await session.goneSince(begun);
  if (reply === undefined) return undefined;
  const isSilent = reply.kind === 'silence';
  return {
    why: isSilent
      ? `stopped answering (${reply.reason})`
      : `began to fail at every request (${reply.status})`,
    expected: 'a receiver that still answers',
    got: `${describe(reply)} to this rule’s last request, and to each webhook.test after it`,
    hint: 'Find this request in the log of the receiver or of its proxy. No request may end a receiver: answer with a status from 400 to 499.',
  };
}

/** @param blocking the rules so far that other rules cannot build on; this one is added if it is such a rule. */
async function outcomeOf(
  rule: Rule,
  session: Session,
  before: ReadonlyMap<string, Outcome>,
  blocking: Set<string>,
  redact: (text: string) => string,
): Promise<Outcome> {
  const started = performance.now();
  const from = session.sender.entries.length;
  const ended = (rest: Omit<Outcome, 'rule' | 'ms'>): Outcome => ({
    rule,
    ...rest,
    ms: Math.round(performance.now() - started),
  });
  if (rule.from > session.version)
    return ended({ result: 'not applicable', why: `it is for receivers of Version ${rule.from}` });
  const lacking = rule.needs.find((id) => blocking.has(id));
  if (lacking !== undefined) {
    blocking.add(rule.id);
    // Name the rule at the origin.
    const needed = before.get(lacking);
    const why = needed?.result === 'not checked' ? needed.why : `it needs ${lacking} (${needed?.result})`;
    return ended({ result: 'not checked', ...(why !== undefined && { why }) });
  }
  try {
    await rule.check(session);
    return ended({ result: 'passed' });
  } catch (error) {
    // A rule that a read-only run leaves out does not block others: the article may exist all the same.
    if (!(error instanceof NotChecked && session.options.readOnly)) blocking.add(rule.id);
    const outcome = ended(
      outcomeOfError(error, rule.level === 'must' || session.options.strict === true, redact),
    );
    if (!(error instanceof Unmet)) return outcome;
    const { last, entries } = session.sender;
    const sent = entries.slice(from).some(({ trial }) => !trial);
    const isFirst = entries.filter(({ trial }) => !trial).length === 1;
    // A rule that sends nothing is judged by an earlier answer, of which only the first test's is still available.
    const judged = sent || isFirst ? last : undefined;
    const exchange = judged && exchangeLines(judged, session.options.secret, redact);
    const failedAtIt = judged?.reply.kind === 'answer' && judged.reply.status >= 500;
    const hint = `${failedAtIt ? `${FAILED_HINT} ` : ''}${error.fix ?? rule.hint}`;
    return { ...outcome, ...(exchange && { exchange }), rule: { ...rule, hint } };
  }
}

/** The rule with the header names of the service; the contract writes `Service`. */
function inWordsOf({ name }: Service, rule: Rule): Rule {
  const words = (text: string) => text.replaceAll('X-Service-', `X-${name}-`);
  return { ...rule, says: words(rule.says), hint: words(rule.hint) };
}

function chosen(only: readonly string[] | undefined): readonly Rule[] {
  if (only === undefined) return RULES;
  const wanted = withNeeds(only.map((id) => ruleNamed(id, RULES, 'check')));
  return RULES.filter((rule) => wanted.includes(rule));
}
