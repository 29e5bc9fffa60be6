import type { Version } from './answers.js';
import type { RuleText } from './outcome.js';
import { numberOf } from './rules/numbers.js';
import type { Session } from './session.js';

/** One testable sentence of the contract about receivers; for its number, see `numberOf`. */
export interface Rule extends RuleText {
  /** The lowest version of a receiver that it applies to. */
  readonly from: Version;
  /** Rules without which this one cannot be looked at. */
  readonly needs: readonly string[];
  /** @throws Unmet where the receiver does not keep the rule, NotChecked where that cannot be found out. */
  readonly check: (session: Session) => Promise<void>;
}

type Common = Pick<Rule, 'section'> & Partial<Pick<Rule, 'from' | 'level' | 'needs'>>;
type Own = Omit<Rule, 'number' | 'section' | 'level' | 'from' | 'needs'> &
  Partial<Pick<Rule, 'section' | 'level' | 'from' | 'needs'>>;

/** Rules of one subject. `needs` add up; everything else that a rule says itself wins. */
export function rules(common: Common, own: readonly Own[]): Rule[] {
  return own.map((rule) => ({
    level: 'must',
    from: 1,
    ...common,
    ...rule,
    number: numberOf(rule.id),
    needs: [...(common.needs ?? []), ...(rule.needs ?? [])],
  }));
}
