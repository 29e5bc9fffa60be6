import type { Command } from 'commander';
import type { Report } from '../../conformance/outcome.js';
import { htmlReport } from '../../conformance/report/html.js';
import { jsonReport } from '../../conformance/report/json.js';
import { markdownReport } from '../../conformance/report/markdown.js';
import { terminalReport } from '../../conformance/report/terminal.js';
import { escapeInvisible } from '../../log.js';
import { print } from '../terminal.js';
import { writeNamed } from '../written-files.js';

/** The formats of a report. */
export interface ReportOptions {
  readonly json?: boolean;
  readonly markdown?: string;
  readonly html?: string;
  readonly verbose?: boolean;
}

/** Adds the options of reports to a command that checks. */
export function withReports(command: Command): Command {
  return command
    .option('--json', 'print the report as JSON')
    .option('--markdown <file>', 'write a badge and a table for a README')
    .option('--html <file>', 'write the report as one page')
    .option('--verbose', 'print passed rules, requests and answers too');
}

/** Prints a report, and writes it to the named files. */
export function writeReports(report: Report, { json, markdown, html, verbose = false }: ReportOptions): void {
  const colour = process.stdout.isTTY ?? false;
  if (json) process.stdout.write(escapeInvisible(jsonReport(report), { lines: true }));
  else print(terminalReport(report, { colour, verbose }).trimEnd());
  if (markdown !== undefined) writeNamed(markdown, markdownReport(report));
  if (html !== undefined) writeNamed(html, htmlReport(report));
}

/** Splits a text at commas. */
export function parseList(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}
