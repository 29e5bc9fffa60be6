import { PressmarkError, quote } from '../errors.js';

/** The description of a rule, for receivers or senders, in reports. */
export interface RuleText {
  /** Stable, from 1. */
  readonly number: number;
  /** Stable. */
  readonly id: string;
  /** The section of the contract. */
  readonly section: string;
  /** `should` if the contract only shows a sample or leaves it open: a broken rule is advice, not a failure. */
  readonly level: 'must' | 'should';
  /** The rule in one sentence. */
  readonly says: string;
  /** How to fix a receiver or sender that breaks the rule. */
  readonly hint: string;
}

/** `known`: failed, as the baseline says that it did before. */
export type Result = 'passed' | 'failed' | 'known' | 'advice' | 'not applicable' | 'not checked' | 'error';

/** The outcome of one rule. Its texts contain no secret. */
export interface Outcome {
  readonly rule: RuleText;
  readonly result: Result;
  /** For a failed rule and for advice. */
  readonly expected?: string;
  readonly got?: string;
  /** The reason why the rule is not applicable or not checked, or why the checker itself failed. */
  readonly why?: string;
  /** For a broken rule: its last request and the answer, for a person. */
  readonly exchange?: readonly string[];
  readonly ms: number;
}

/** The result of a run. */
export interface Report {
  /** Without secrets. */
  readonly url: string;
  /** As in "Version 3, 241 of 241 rules". */
  readonly subject: string;
  /** As in "checked as a receiver of Version 3". */
  readonly checkedAs: string;
  readonly outcomes: readonly Outcome[];
  /** Further information for a person, one paragraph each. */
  readonly notes: readonly string[];
  readonly requests: number;
  readonly ms: number;
}

/** Whether a run has failed: a rule was broken (if strict: or advice), the checker failed at a rule, or no rule passed. */
export function hasFailed({ outcomes }: Pick<Report, 'outcomes'>): boolean {
  const has = (wanted: Result) => outcomes.some(({ result }) => result === wanted);
  return has('failed') || has('error') || !has('passed');
}

/** The rule with this id or number. @throws PressmarkError USAGE if there is none. */
export function ruleNamed<Named extends RuleText>(
  id: string,
  rules: readonly Named[],
  command: string,
): Named {
  const rule = rules.find((one) => one.id === id || String(one.number) === id);
  if (rule !== undefined) return rule;
  throw new PressmarkError(
    'USAGE',
    `there is no rule ${quote(id)}; pressmark ${command} --list names them all`,
  );
}
