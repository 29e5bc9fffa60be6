import { PressmarkError, quote } from '../errors.js';

/** What a report says of a rule, be it one of receivers or of senders. */
export interface RuleText {
  /** Stable, from 1. */
  readonly number: number;
  /** Stable. */
  readonly id: string;
  /** Where the contract says so. */
  readonly section: string;
  /** `should` where the contract only shows a sample or leaves it open: unmet, it is advice and no failure. */
  readonly level: 'must' | 'should';
  /** The rule in one sentence. */
  readonly says: string;
  /** How to fix what does not keep it. */
  readonly hint: string;
}

/** `known`: it failed, as the baseline says that it did before. */
export type Result = 'passed' | 'failed' | 'known' | 'advice' | 'not applicable' | 'not checked' | 'error';

/** What became of one rule. Texts hold nothing secret. */
export interface Outcome {
  readonly rule: RuleText;
  readonly result: Result;
  /** Of a failed rule and of advice. */
  readonly expected?: string;
  readonly got?: string;
  /** Why it is not applicable or not checked, or how the checker itself failed at it. */
  readonly why?: string;
  /** Of a rule that was not kept: its last request and the answer, for a person. */
  readonly exchange?: readonly string[];
  readonly ms: number;
}

/** What a run has found. */
export interface Report {
  /** Without anything secret. */
  readonly url: string;
  /** As in "Version 3, 241 of 241 rules". */
  readonly subject: string;
  /** As in "checked as a receiver of Version 3". */
  readonly checkedAs: string;
  readonly outcomes: readonly Outcome[];
  /** What else a person should know, a paragraph each. */
  readonly notes: readonly string[];
  readonly requests: number;
  readonly ms: number;
}

/** Whether a run has found something that the contract forbids (if strict: or advises against), or nothing that it asks for. */
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
