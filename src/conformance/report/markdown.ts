import type { Outcome, Report, RuleText } from '../outcome.js';
import { bySection, countsOf, countsText, isFinding } from './summary.js';

/** Formats a report for a README: a badge, a table of the contract's sections, and the failures. */
export function markdownReport(report: Report): string {
  const sections = [...bySection(report)].filter(([, outcomes]) => outcomes.some(counts));
  return [
    badge(report),
    '',
    '| section of the contract | rules | |',
    '|---|---|---|',
    ...sections.map(([section, outcomes]) => row(section, outcomes)),
    '',
    `${report.subject}: ${countsText(report)}.`,
    ...findings(report),
    '',
  ].join('\n');
}

/** A rule in the list; rules of receivers have a lowest version. */
type ListedRule = RuleText & { readonly from?: number };

/** Lists all rules by section of the contract in Markdown, for `--list`. */
export function rulesList(rules: readonly ListedRule[]): string {
  const sections = new Map<string, string[]>();
  for (const rule of rules) {
    const [section = '', ...steps] = rule.section.split(', ');
    sections.set(section, [...(sections.get(section) ?? []), ruleLine(rule, steps)]);
  }
  return [...sections].map(([section, lines]) => `### ${section}\n\n${lines.join('\n')}`).join('\n\n');
}

function ruleLine({ number, id, level, from = 1, says }: ListedRule, steps: readonly string[]): string {
  const notes = [
    `rule ${number}`,
    ...steps,
    ...(level === 'should' ? ['should'] : []),
    ...(from > 1 ? [`V${from}`] : []),
  ];
  return `- \`${id}\` (${notes.join(', ')}): ${says}`;
}

function badge(report: Report): string {
  const { passed, failed, error, known } = countsOf(report);
  const of = report.outcomes.filter(counts).length;
  const text = `${report.subject}, ${passed} of ${of} rules`;
  const colour =
    failed + error > 0 ? 'red' : known > 0 ? 'yellow' : passed === 0 ? 'lightgrey' : 'brightgreen';
  return `![Contract: ${text}](https://img.shields.io/badge/contract-${encodeURIComponent(text)}-${colour})`;
}

/** Whether an outcome says something about the receiver. */
function counts(outcome: Outcome): boolean {
  return outcome.result === 'passed' || isFinding(outcome);
}

function row(section: string, outcomes: readonly Outcome[]): string {
  const judged = outcomes.filter(counts);
  const passed = judged.filter(({ result }) => result === 'passed').length;
  const bad = judged.some(({ result }) => result === 'failed' || result === 'error');
  const mark = bad ? '❌' : passed < judged.length ? '⚠️' : '✅';
  return `| ${section} | ${passed} of ${judged.length} | ${mark} |`;
}

function findings({ outcomes }: Report): string[] {
  const found = outcomes.filter(isFinding);
  if (found.length === 0) return [];
  return [
    '',
    '| rule | expected | got | fix |',
    '|---|---|---|---|',
    ...found.map(
      ({ rule, result, expected = '', why = '', got = why }) =>
        `| \`${rule.id}\`${result === 'failed' ? '' : ` (${result})`} | ${cell(expected)} | ${cell(got)} | ${cell(rule.hint)} |`,
    ),
  ];
}

/** Escapes a text for a table cell, so that it contains no markup. */
function cell(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s+/g, ' ');
}
