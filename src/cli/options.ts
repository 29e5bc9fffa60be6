import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readServiceOption } from '../config/service-option.js';
import { messageOf } from '../errors.js';

/** `--dir <site>`, which every command has. */
export function withDir(command: Command): Command {
  return command.option('--dir <site>', 'the site’s folder', (path) => resolve(path), process.cwd());
}

/** `--port <n>`: 0 lets the system choose. */
export function withPort(command: Command): Command {
  return command.option('--port <n>', 'the port to listen on', parsePort);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

/** `--service <name>`. */
export function serviceOption(): Option {
  return new Option(
    '--service <name>',
    'the service’s name in its headers: Acme for X-Acme-Signature; Acme:ac if its item comment says ac',
  ).argParser(parseService);
}

function parseService(text: string) {
  try {
    return readServiceOption(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${messageOf(error)}.`);
  }
}

/** Help text that ends with an example. */
export function example(text: string): string {
  return `\nExample:\n  $ ${text}`;
}
