import { Unmet } from './expect.js';
import { type ListedRule, rulesWith } from './rule-list.js';
import type { Session } from './session.js';

/** Looks whether a receiver keeps a rule. @throws Unmet where it does not, NotChecked where that cannot be found out. */
export type Check = (session: Session) => Promise<unknown>;

/** One testable sentence of the contract about receivers. */
export interface Rule extends ListedRule {
  readonly check: Check;
}

/** The rules of a list (see `rulesWith`), each with its check. */
export function rules(list: string, checks: Readonly<Record<string, Check>>): Rule[] {
  return rulesWith(list, Object.fromEntries(Object.entries(checks).map(([id, check]) => [id, { check }])));
}

/** One check of several cases, by their names; what is expected is said with the case in which it did not come. */
export function inEachCase(cases: Readonly<Record<string, Check>>): Check {
  return async (session) => {
    for (const [name, check] of Object.entries(cases))
      try {
        await check(session);
      } catch (error) {
        throw error instanceof Unmet ? new Unmet(`${error.expected} (${name})`, error.got, error.fix) : error;
      }
  };
}
