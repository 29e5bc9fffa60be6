#!/usr/bin/env node
import { Command } from 'commander';
import { startCommand } from './start.js';

const program = new Command('pressmark').description(
  'Receives signed articles and keeps them as Markdown files, commits and pages.',
);
program.addCommand(startCommand());
await program.parseAsync();
