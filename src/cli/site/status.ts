import { Command } from 'commander';
import { loadSite } from '../../app/site-address.js';
import { siteStatus } from '../../app/status.js';
import { type StatusFinding, statusFindings } from '../../app/status-findings.js';
import { example, withDir } from '../options.js';
import { marked, print, printableLines, printJson } from '../terminal.js';

/** `pressmark status`: shows the last known state of a site, from the delivery to the public page. */
export function statusCommand(): Command {
  return withDir(new Command('status'))
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('pressmark status'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const status = await siteStatus(await loadSite(dir));
      const findings = [...statusFindings(status, Date.now())];
      if (json) printJson(status, 2);
      else for (const finding of findings) printFinding(finding, finding.about.padEnd(9));
      if (findings.some(({ level }) => level === 'fail')) process.exitCode = 1;
    });
}

/** Prints a finding, followed by its fix. */
export function printFinding({ level, about, text, fix }: StatusFinding, label = `${about}:`): void {
  print(`${marked(level)} ${label} ${printableLines(text)}`);
  if (fix !== undefined) print(`  → ${printableLines(fix)}`);
}
