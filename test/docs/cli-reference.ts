import type { Argument, Command, Option } from 'commander';
import { commonOptions } from '../../src/cli/options.js';
import { COMMANDS } from '../../src/cli/program.js';

/** Options that the page explains once, at its beginning. */
const OF_ALL = [
  '--dir',
  '--json',
  ...commonOptions().map(({ description }) => description), // a command may have one in its own words
];

const isOfAll = ({ long, description }: Option): boolean =>
  OF_ALL.includes(long ?? '') || OF_ALL.includes(description);

/** docs/cli.md: every command with its arguments and options, as `--help` has them. */
export async function cliReference(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const lines = commands.flatMap(({ options }) => options.filter((one) => !isOfAll(one)).map(optionLine));
  const ofSeveral = [...new Set(lines.filter((line, n) => lines.indexOf(line) < n))];
  const without = (flag: string) =>
    commands.filter(({ options }) => !options.some(({ long }) => long === flag)).map((one) => one.name());
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  return [
    '# Commands',
    '',
    '`--help` shows an example of each command. Exit codes: 0 fine, 1 failed, 2 wrong usage or a wrong config.',
    '',
    `- \`--dir <folder>\`: the folder of the site or of the sender (default: the folder you are in); not for ${without('--dir').join(', ')}`,
    '- `--json`: print the result as JSON',
    ...commonOptions().map(optionLine),
    '',
    'Options of several commands:',
    '',
    ...ofSeveral,
    '',
    ...groups.flatMap((group) => [
      `## ${group.slice(0, -1)}`,
      '',
      ...commands
        .filter((command) => command.helpGroup() === group)
        .map((command) => section(command, ofSeveral)),
    ]),
  ].join('\n');
}

function section(command: Command, ofSeveral: readonly string[]): string {
  const own = command.options.filter((option) => !isOfAll(option));
  const shared = own.filter((option) => ofSeveral.includes(optionLine(option)));
  const lines = [
    ...command.registeredArguments.map(argumentLine),
    ...own.filter((option) => !shared.includes(option)).map(optionLine),
    ...(shared.length > 0 ? [`- also ${shared.map(({ long }) => `\`${long}\``).join(', ')}`] : []),
  ];
  return [
    `### ${command.name()}`,
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
