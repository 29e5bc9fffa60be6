import type { Argument, Command, Option } from 'commander';
import { COMMANDS } from '../../src/cli/program.js';

const BEGINNING = `# Commands

Every command takes \`--dir <folder>\`, the folder of the site or the sender (default: the folder you are in), and \`--help\`, which ends with an example. \`pressmark help <command>\` is the same as \`--help\`. Exit codes: 0 fine, 1 failed, 2 wrong usage, which includes a wrong config.
`;

/** Whether the page says once, at its beginning, what the option is. */
const isOfAll = ({ long }: Option): boolean => long === '--dir' || long === '--json';

/** docs/cli.md: every command with its arguments and options, as `--help` has them. */
export async function cliReference(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const withoutJson = commands.filter(({ options }) => !options.some(({ long }) => long === '--json'));
  const json = `\`--json\` prints the result as JSON; all commands have it but ${withoutJson.map((command) => command.name()).join(', ')}.\n`;
  return [BEGINNING, json, ...commands.map(section)].join('\n');
}

function section(command: Command): string {
  const lines = [
    ...command.registeredArguments.map(argumentLine),
    ...command.options.filter((option) => !isOfAll(option)).map(optionLine),
  ];
  return [
    `## ${command.name()}`,
    '',
    sentence(command.description()),
    ...(lines.length > 0 ? ['', ...lines] : []),
    '',
  ].join('\n');
}

function argumentLine(argument: Argument): string {
  return `- \`${argumentWord(argument)}\`: ${described(argument)}`;
}

function argumentWord(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

function optionLine(option: Option): string {
  return `- \`${option.flags.replace('...', ' …')}\`: ${described(option)}`;
}

function described({ description, argChoices, defaultValue }: Argument | Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const byDefault = defaultValue === undefined ? '' : ` (default: ${String(defaultValue)})`;
  return `${description}${choices}${byDefault}`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
