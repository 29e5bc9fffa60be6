import { Command } from 'commander';
import { examine } from '../app/doctor/doctor.js';
import type { Finding } from '../app/doctor/finding.js';
import { trialFindings } from '../app/doctor/trial-findings.js';
import { type Flags, loadSettings } from '../config/load.js';
import { abortOnSignals } from './generator-build.js';
import { example, withDir, withPort } from './options.js';
import { marked, printableLines, printJson } from './terminal.js';

interface DoctorFlags extends Flags {
  readonly dir: string;
  readonly json?: boolean;
  readonly build?: boolean;
}

/** `pressmark doctor`: what keeps this site from receiving, and how to fix it. */
export function doctorCommand(): Command {
  return withPort(withDir(new Command('doctor')))
    .option('--host <address>', 'the address that start listens on (default: all)')
    .description(
      'check the folder, the secret, the site URL, git, the lock helper, the articles, the theme and the pages',
    )
    .option('--build', 'also publish hostile articles in a copy of the site, build it and check their pages')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', example('pressmark doctor --build'))
    .action(async ({ dir, json, build, ...flags }: DoctorFlags) => {
      const settings = await loadSettings(dir, flags);
      // First, as it refuses sites that have nothing to try.
      const tried = build
        ? await trialFindings(settings, { signal: abortOnSignals(), onBuild: sayBuild })
        : [];
      const findings = [...(await examine(settings)), ...tried];
      if (json) printJson(findings, 2);
      else for (const finding of findings) print(finding);
      if (findings.some(({ level }) => level === 'fail')) process.exitCode = 1;
    });
}

function sayBuild(build: number): void {
  console.error(`building a copy of the site (${build}) …`);
}

function print({ level, about, text, fix }: Finding): void {
  console.log(`${marked(level)} ${about}: ${printableLines(text)}`);
  if (fix !== undefined) console.log(`  → ${printableLines(fix)}`);
}
