import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Flags } from '../config/load.js';
import { readServiceOption } from '../config/option-values.js';
import { messageOf, PressmarkError } from '../errors.js';

/** Adds `--dir <folder>`: the site's or the sender's folder. */
export function withDir(command: Command): Command {
  return command.option(
    '--dir <folder>',
    'the folder of the site or of the sender',
    (path) => resolve(path),
    process.cwd(),
  );
}

/** The options that every command has. */
export interface CommonOptions {
  readonly config?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Adds the common options, except those that the command describes itself. */
export function withCommon(command: Command): Command {
  for (const option of commonOptions())
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  return command;
}

/** The definitions of the common options. */
export function commonOptions(): Option[] {
  return [
    new Option('--config <file>', 'the config file, if not pressmark.config.*').argParser((path: string) =>
      resolve(path),
    ),
    new Option('--quiet', 'print only errors and JSON').conflicts('verbose'),
    new Option('--verbose', 'print more'),
  ];
}

/** Adds `--port <n>`; 0 makes the system choose. */
export function withPort(command: Command): Command {
  const parsePort = numberThat(
    'A port is a number from 0 to 65535.',
    (port) => Number.isInteger(port) && port <= 65_535,
  );
  return command.option('--port <n>', 'the port to listen on', parsePort);
}

/** Adds `--secret <secret>`. @param fallback the source of the secret without the option. */
export function withSecret(command: Command, fallback = 'PRESSMARK_SECRET'): Command {
  return command.option(
    '--secret <secret>',
    `the signing secret, or - for standard input (default: ${fallback})`,
  );
}

/**
 * The secret in `--secret`, or from standard input for `-`. Without the option, the secret of this folder's receiver, as
 * `pressmark send` uses it.
 *
 * @throws PressmarkError USAGE if there is none, or an empty one.
 */
export async function secretOf(given: string | undefined, fallback: string | undefined): Promise<string> {
  const secret = given === '-' ? (await readAll(process.stdin)).trim() : (given ?? fallback);
  if (secret) return secret;
  throw new PressmarkError(
    'USAGE',
    `${secret === undefined ? 'there is no secret to sign with' : 'the secret is empty'}; give the one that the receiver holds with --secret, or set PRESSMARK_SECRET`,
  );
}

/** Defines `--service <name>`. */
export function serviceOption(): Option {
  return new Option(
    '--service <name>',
    'the service’s name, such as Acme; Acme:ac if its item comments say ac',
  ).argParser(parseService);
}

function parseService(text: string) {
  try {
    return readServiceOption(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${messageOf(error)}.`);
  }
}

/** Checks an absolute http(s) URL, and returns it unchanged. */
export function parseUrl(text: string): string {
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It has to be an absolute http(s) URL.');
  return text;
}

/** Makes the parser of a numeric option. @param words the error message for a wrong number. */
export function numberThat(words: string, isRight: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(?:\.\d+)?$/.test(text) || !isRight(value)) throw new InvalidArgumentError(words);
    return value;
  };
}

/** The settings among a command's options. */
export function flagsOf({ port, host }: Flags): Flags {
  return { ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
}

/** Formats an example for the end of a help text. */
export function example(text: string): string {
  return `\nExample:\n  $ ${text}`;
}
