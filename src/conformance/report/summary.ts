import type { Outcome, Report, Result } from '../outcome.js';

/** The results in the order of reports, each with its sign in the terminal and on the page, and its colour. */
export const RESULTS = {
  passed: { mark: '✓', colour: 'green' },
  failed: { mark: '✗', colour: 'red' },
  known: { mark: '~', colour: 'yellow' },
  advice: { mark: '!', colour: 'yellow' },
  error: { mark: '✗', colour: 'red' },
  'not checked': { mark: '-', colour: 'gray' },
  'not applicable': { mark: '-', colour: 'gray' },
} as const;

/** Whether a person has to look at a rule. */
export function isFinding({ result }: Outcome): boolean {
  return result === 'failed' || result === 'error' || result === 'known' || result === 'advice';
}

const IN_ORDER = Object.keys(RESULTS) as Result[];

/** The number of rules by result. */
export function countsOf({ outcomes }: Pick<Report, 'outcomes'>): Record<Result, number> {
  const counts = Object.fromEntries(IN_ORDER.map((result) => [result, 0])) as Record<Result, number>;
  for (const { result } of outcomes) counts[result]++;
  return counts;
}

/** "142 passed, 1 failed, 2 advice", without results that did not occur. */
export function countsText(report: Pick<Report, 'outcomes'>): string {
  const counts = countsOf(report);
  return IN_ORDER.filter((result) => counts[result] > 0)
    .map((result) => `${counts[result]} ${result}`)
    .join(', ');
}

/** Groups outcomes by the first part of their section, in the order of the rules. */
export function bySection({ outcomes }: Pick<Report, 'outcomes'>): Map<string, Outcome[]> {
  const sections = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const name = outcome.rule.section.split(',', 1)[0] ?? '';
    sections.set(name, [...(sections.get(name) ?? []), outcome]);
  }
  return sections;
}
