import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Report } from '../../conformance/outcome.js';
import { htmlReport } from '../../conformance/report/html.js';
import { jsonReport } from '../../conformance/report/json.js';
import { markdownReport } from '../../conformance/report/markdown.js';
import { terminalReport } from '../../conformance/report/terminal.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { escapeInvisible } from '../../log.js';
import { print } from '../terminal.js';

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

/** Refuses report files in missing folders, before anything is sent. @throws PressmarkError USAGE */
export function requireReportFolders({ markdown, html }: ReportOptions): void {
  for (const file of [markdown, html])
    if (file !== undefined && !fs.statSync(dirname(resolve(file)), { throwIfNoEntry: false })?.isDirectory())
      throw new PressmarkError('USAGE', `the folder of ${quote(file, 200)} is not there; make it first`);
}

/** Prints a report, and writes it to the named files. */
export function writeReports(report: Report, { json, markdown, html, verbose = false }: ReportOptions): void {
  const colour = process.stdout.isTTY ?? false;
  if (json) process.stdout.write(escapeInvisible(jsonReport(report), { lines: true }));
  else print(terminalReport(report, { colour, verbose }).trimEnd());
  if (markdown !== undefined) write(markdown, markdownReport(report));
  if (html !== undefined) write(html, htmlReport(report));
}

function write(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (cause) {
    throw new PressmarkError('USAGE', `${quote(file, 200)} cannot be written: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Splits a text at commas. */
export function parseList(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}
