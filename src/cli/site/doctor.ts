import { Command } from 'commander';
import { examine } from '../../app/doctor/doctor.js';
import { type Flags, loadSettings } from '../../config/load.js';
import { example, flagsOf, withDir, withPort } from '../options.js';
import { printJson } from '../terminal.js';
import { printFinding } from './status.js';

interface DoctorFlags extends Flags {
  readonly dir: string;
  readonly json?: boolean;
}

/** `pressmark doctor`: finds faults that keep this site from receiving articles, and tells how to fix them. */
export function doctorCommand(): Command {
  return withPort(withDir(new Command('doctor')))
    .option('--host <address>', 'the address that start listens on (default: all)')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', example('pressmark doctor --json'))
    .action(async ({ dir, json, ...options }: DoctorFlags) => {
      const settings = await loadSettings(dir, flagsOf(options));
      const findings = await examine(settings);
      if (json) printJson(findings, 2);
      else for (const finding of findings) printFinding(finding);
      if (findings.some(({ level }) => level === 'fail')) process.exitCode = 1;
    });
}
