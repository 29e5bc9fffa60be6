import type { Report } from '../run.js';
import { countsOf, removalText } from './summary.js';

/** A report for a script. */
export function jsonReport(report: Report): string {
  const { url, version, firstTest, run, left, requests, ms } = report;
  const rules = report.outcomes.map(({ rule, result, expected, got, why, exchange, ms: took }) => ({
    number: rule.number,
    id: rule.id,
    section: rule.section,
    level: rule.level,
    says: rule.says,
    result,
    ...(expected !== undefined && { expected, got, hint: rule.hint }),
    ...(why !== undefined && { why }),
    ...(exchange !== undefined && { exchange }),
    ms: took,
  }));
  const removal = removalText(report);
  const all = { url, version, firstTest, run, counts: countsOf(report), requests, ms, rules, left, removal };
  return `${JSON.stringify(all, null, 2)}\n`;
}
