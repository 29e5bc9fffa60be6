import { Unmet } from './expect.js';
import { type ListedRule, rulesWith } from './rule-list.js';
import type { Session } from './session.js';

/** Checks a rule. @throws Unmet if the receiver breaks it, NotChecked if that cannot be found out. */
export type Check = (session: Session) => Promise<unknown>;

/** A testable sentence of the contract about receivers. */
export interface Rule extends ListedRule {
  readonly check: Check;
}

/** The rules of a list (see `rulesWith`), each with its check. */
export function rules(list: string, checks: Readonly<Record<string, Check>>): Rule[] {
  return rulesWith(list, Object.fromEntries(Object.entries(checks).map(([id, check]) => [id, { check }])));
}

/** Combines the checks of several named cases; a finding includes the name of its case. */
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
