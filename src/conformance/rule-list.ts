import type { RuleText } from './outcome.js';
import type { Version } from './version.js';

/** A rule in its list. */
export interface ListedRule extends RuleText {
  /** The lowest version of receivers to which the rule applies. */
  readonly from: Version;
  /** Rules that this one builds on: if one of them is not kept, this one cannot be checked. */
  readonly needs: readonly string[];
}

/**
 * Parses a list of rules, and joins each rule with the code of the same id.
 *
 * ```
 * # The contract's section; V2; should; needs rules-that-must-be-kept-before
 * 17 the-id (attributes of this rule only): The rule in one sentence.
 *   The fix, for all rules above that have no fix yet.
 * ```
 *
 * Numbers are stable and never reused: a new rule gets the next number, wherever it is in the list.
 *
 * @throws Error if the list is malformed, or if a rule has no code or code has no rule.
 */
export function rulesWith<Part extends object>(
  list: string,
  parts: Readonly<Record<string, Part>>,
): (ListedRule & Part)[] {
  const rules = rulesIn(list);
  const other = Object.keys(parts).find((id) => !rules.some((rule) => rule.id === id));
  if (other !== undefined) throw new Error(`the list has no rule ${other}`);
  return rules.map((rule) => {
    const part = parts[rule.id];
    if (part === undefined) throw new Error(`the rule ${rule.id} has no code`);
    return { ...rule, ...part };
  });
}

type Attributes = Pick<ListedRule, 'section' | 'from' | 'level' | 'needs'>;

const NONE: Attributes = { section: '', from: 1, level: 'must', needs: [] };
const RULE = /^(?<number>\d+) (?<id>[\w-]+)(?: \((?<own>.*?)\))?: (?<says>.+)$/;

/** Parses a list of rules (see `rulesWith`). @throws Error if it is malformed. */
export function rulesIn(list: string): ListedRule[] {
  const rules: ListedRule[] = [];
  let withoutFix: Omit<ListedRule, 'hint'>[] = [];
  let heading = NONE;
  for (const line of list.split('\n').filter((one) => one !== '')) {
    const { number, id = '', own = '', says = '' } = RULE.exec(line)?.groups ?? {};
    if (number !== undefined)
      withoutFix.push({ ...attributesOf(own, heading), number: Number(number), id, says });
    else if (line.startsWith('# ')) heading = attributesOf(line.slice(2), NONE);
    else if (line.startsWith('  ')) {
      rules.push(...withoutFix.map((rule) => ({ ...rule, hint: line.trim() })));
      withoutFix = [];
    } else throw new Error(`this is neither a heading nor a rule nor a fix: ${line}`);
  }
  if (withoutFix.length > 0) throw new Error(`the rule ${withoutFix[0]?.id} has no fix`);
  return rules;
}

/** The attributes of a heading or a rule. Its own override the inherited ones; its needs are added to them. */
function attributesOf(text: string, inherited: Attributes): Attributes {
  const found = { ...inherited };
  for (const one of text.split('; ').filter((part) => part !== '')) {
    if (one === 'must' || one === 'should') found.level = one;
    else if (one === 'V2' || one === 'V3') found.from = one === 'V2' ? 2 : 3;
    else if (one.startsWith('needs ')) found.needs = [...inherited.needs, ...one.slice(6).split(' ')];
    else found.section = one;
  }
  return found;
}
