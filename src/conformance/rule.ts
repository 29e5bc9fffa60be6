import type { RuleText } from './outcome.js';
import { numberOf } from './rules/numbers.js';
import type { Session } from './session.js';
import type { Version } from './version.js';

/** One testable sentence of the contract about receivers; for its number, see `numberOf`. */
export interface Rule extends RuleText {
  /** The lowest version of a receiver that it applies to. */
  readonly from: Version;
  /** Rules without which this one cannot be looked at. */
  readonly needs: readonly string[];
  /** @throws Unmet where the receiver does not keep the rule, NotChecked where that cannot be found out. */
  readonly check: (session: Session) => Promise<unknown>;
}

type Common = Pick<Rule, 'section'> & Partial<Pick<Rule, 'from' | 'level' | 'hint'>>;

/** A rule as its group has it: what it does not say itself is that of the group. */
export type OwnRule = Pick<Rule, 'says' | 'check'> & Partial<Omit<Rule, 'id' | 'number'>>;

/** Rules of one subject by their ids, and what all of them need. What a rule says itself wins; its `needs` add up. */
export function rules(
  common: Common,
  needs: readonly string[],
  own: Readonly<Record<string, OwnRule>>,
): Rule[] {
  return Object.entries(own).map(([id, rule]) => ({
    ...{ level: 'must', from: 1, hint: '' },
    ...common,
    ...rule,
    id,
    number: numberOf(id),
    needs: [...needs, ...(rule.needs ?? [])],
  }));
}
