import type { Outcome, Report, Result } from '../outcome.js';

/** In the order in which they are reported. */
export const RESULTS: readonly Result[] = [
  'passed',
  'failed',
  'known',
  'advice',
  'error',
  'not checked',
  'not applicable',
];

/** The sign of each result, in the terminal and on the page. */
export const MARKS: Readonly<Record<Result, string>> = {
  passed: '✓',
  failed: '✗',
  known: '~',
  advice: '!',
  error: '✗',
  'not checked': '-',
  'not applicable': '-',
};

/** How many rules had which result. */
export function countsOf({ outcomes }: Pick<Report, 'outcomes'>): Record<Result, number> {
  const counts = {
    passed: 0,
    failed: 0,
    known: 0,
    advice: 0,
    error: 0,
    'not checked': 0,
    'not applicable': 0,
  };
  for (const { result } of outcomes) counts[result]++;
  return counts;
}

/** "142 passed, 1 failed, 2 advice": what there was none of is left out. */
export function countsText(report: Pick<Report, 'outcomes'>): string {
  const counts = countsOf(report);
  return RESULTS.filter((result) => counts[result] > 0)
    .map((result) => `${counts[result]} ${result}`)
    .join(', ');
}

/** Outcomes by the first part of their section, in the order of the rules. */
export function bySection({ outcomes }: Pick<Report, 'outcomes'>): Map<string, Outcome[]> {
  const sections = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const name = outcome.rule.section.split(',', 1)[0] ?? '';
    sections.set(name, [...(sections.get(name) ?? []), outcome]);
  }
  return sections;
}
