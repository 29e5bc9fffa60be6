import type { Outcome, Report } from '../outcome.js';
import { bySection, countsOf } from './summary.js';

/** A report as JUnit’s XML: a test suite for each section of the contract, a test case for each rule. */
export function junitReport(report: Report): string {
  const suites = [...bySection(report)].map(([section, outcomes]) => suite(section, outcomes));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(`Contract, ${report.subject}: ${report.url}`)}" ${totals(report.outcomes)} time="${seconds(report.ms)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(section: string, outcomes: readonly Outcome[]): string {
  const ms = outcomes.reduce((sum, outcome) => sum + outcome.ms, 0);
  return [
    `  <testsuite name="${escaped(section)}" ${totals(outcomes)} time="${seconds(ms)}">`,
    ...outcomes.map((outcome) => testCase(section, outcome)),
    '  </testsuite>',
  ].join('\n');
}

function testCase(section: string, { rule, result, expected, got, why, ms }: Outcome): string {
  const open = `    <testcase classname="${escaped(section)}" name="${escaped(rule.id)}" time="${seconds(ms)}"`;
  const details = `${rule.says}\nexpected: ${expected}\ngot: ${got}\nfix: ${rule.hint}\ncontract: ${rule.section}`;
  if (result === 'passed') return `${open}/>`;
  if (result === 'failed')
    return `${open}><failure message="${escaped(`expected ${expected}, got ${got}`)}">${escaped(details)}</failure></testcase>`;
  if (result === 'error') return `${open}><error message="${escaped(why ?? '')}"/></testcase>`;
  if (result === 'advice')
    return `${open}><system-out>${escaped(`advice: ${details}`)}</system-out></testcase>`;
  return `${open}><skipped message="${escaped(`${result}: ${why ?? ''}`)}"/></testcase>`;
}

function totals(outcomes: readonly Outcome[]): string {
  const counts = countsOf({ outcomes });
  const skipped = counts.known + counts['not checked'] + counts['not applicable'];
  return `tests="${outcomes.length}" failures="${counts.failed}" errors="${counts.error}" skipped="${skipped}"`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML 1.0 has no way to write most control characters; reports hold none (see `redactor`). */
function escaped(text: string): string {
  return text.replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? '');
}
