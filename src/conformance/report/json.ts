import type { Report } from '../outcome.js';
import { countsOf } from './summary.js';

/** Formats a report for scripts, with all of its fields. */
export function jsonReport(report: Report): string {
  const { outcomes, notes: _notes, subject: _subject, checkedAs: _checkedAs, ...facts } = report;
  const rules = outcomes.map(({ rule, result, expected, got, why, exchange, ms: took }) => ({
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
  return `${JSON.stringify({ ...facts, counts: countsOf(report), rules }, null, 2)}\n`;
}
