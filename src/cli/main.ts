#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { messageOf, PressmarkError } from '../errors.js';
import { buildCommand } from './build.js';
import { demoCommand } from './demo.js';
import { doctorCommand } from './doctor.js';
import { initCommand } from './init.js';
import { sendCommand } from './send.js';
import { startCommand } from './start.js';

/** Exit codes: 0 fine, 1 failed, 2 wrong usage (a wrong config is wrong usage). */
const FAILED = 1;
const WRONG_USAGE = 2;

process.exitCode = await run(process.argv);

async function run(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE; // it has printed its own line
    console.error(
      `pressmark: ${error instanceof PressmarkError ? error.message : `unexpected: ${unexpected(error)}`}`,
    );
    return error instanceof PressmarkError && ['CONFIG_INVALID', 'USAGE'].includes(error.code)
      ? WRONG_USAGE
      : FAILED;
  }
}

function program(): Command {
  const pressmark = new Command('pressmark')
    .description('Receives signed articles and keeps them as Markdown files, git commits and pages.')
    .version(version(), '-V, --version', 'print the version')
    .helpCommand(false)
    .showHelpAfterError('(run with --help for the options)')
    .exitOverride();
  for (const command of [
    initCommand(),
    startCommand(),
    buildCommand(),
    sendCommand(),
    doctorCommand(),
    demoCommand(),
  ]) {
    pressmark.addCommand(command.exitOverride().showHelpAfterError('(run with --help for the options)'));
  }
  return pressmark;
}

function version(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  return manifest.version;
}

/** A fault of our own: here, and only here, the stack is what helps. */
function unexpected(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
}
