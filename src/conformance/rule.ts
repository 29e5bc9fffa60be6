import { type ListedRule, rulesWith } from './rule-list.js';
import type { Session } from './session.js';

/** Looks whether a receiver keeps a rule. @throws Unmet where it does not, NotChecked where that cannot be found out. */
type Check = (session: Session) => Promise<unknown>;

/** One testable sentence of the contract about receivers. */
export interface Rule extends ListedRule {
  readonly check: Check;
}

/** The rules of a list (see `rulesWith`), each with its check. */
export function rules(list: string, checks: Readonly<Record<string, Check>>): Rule[] {
  return rulesWith(list, Object.fromEntries(Object.entries(checks).map(([id, check]) => [id, { check }])));
}
