import { styleText } from 'node:util';
import type { Outcome, Report, Result } from '../outcome.js';
import { countsText, isFinding, RESULTS } from './summary.js';

export interface TerminalOptions {
  readonly colour: boolean;
  /** Whether to print the rules that passed and those that do not apply, too. */
  readonly verbose: boolean;
}

/**
 * The most rules of one kind that are listed by name; if there are more, only their number is printed. Rules that an option
 * would add are always listed.
 */
const MOST_NAMES = 5;

/** Formats a report for a terminal: findings with their fixes, then the totals. */
export function terminalReport(report: Report, { colour, verbose }: TerminalOptions): string {
  const paint = (result: Result, text: string) => (colour ? styleText(RESULTS[result].colour, text) : text);
  const lines = [`${report.url}, checked as ${report.checkedAs}`, ''];
  for (const outcome of report.outcomes)
    if (isFinding(outcome) || (verbose && outcome.result === 'passed'))
      lines.push(...linesOf(outcome, paint, verbose));
  for (const [why, ids] of notChecked(report, verbose))
    lines.push(
      `${paint('not checked', '-')} not checked, ${why}: ${verbose || why.includes('--') ? ids.join(', ') : named(ids)}`,
    );
  if (lines.at(-1) !== '') lines.push('');
  lines.push(
    `${countsText(report)}; ${report.requests} request${report.requests === 1 ? '' : 's'} in ${(report.ms / 1000).toFixed(1)} s`,
  );
  for (const note of report.notes) lines.push('', note);
  return `${lines.join('\n')}\n`;
}

function linesOf(
  { rule, result, expected, got, why, exchange = [] }: Outcome,
  paint: (result: Result, text: string) => string,
  verbose: boolean,
): string[] {
  const mark = paint(result, RESULTS[result].mark);
  if (result === 'passed') return [`${mark} ${rule.id}`];
  if (expected === undefined || got === undefined)
    return [`${mark} ${rule.id}: ${result}${why === undefined ? '' : `, ${why}`}`];
  return [
    `${mark} ${rule.id} (rule ${rule.number}, contract: ${rule.section}): ${rule.says}`,
    `    expected  ${expected}`,
    `    got       ${got}`,
    `    fix       ${rule.hint}`,
    ...(verbose ? exchange : []),
  ];
}

/** Rules that were not checked, by reason. */
function notChecked({ outcomes }: Report, verbose: boolean): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const { rule, result, why = '' } of outcomes)
    if (result === 'not checked' || (verbose && result === 'not applicable'))
      reasons.set(why, [...(reasons.get(why) ?? []), rule.id]);
  return reasons;
}

function named(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMES;
  return `${ids.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more (--verbose names them)` : ''}`;
}
