import { Argument, Command } from 'commander';
import { example } from './options.js';
import { printJson } from './terminal.js';

/** A command's data for a shell. */
interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Word[];
  /** The possible arguments; if empty, the arguments are files. */
  readonly choices: readonly string[];
}

interface Word {
  readonly flag: string;
  readonly description: string;
}

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Shell = keyof typeof SHELLS;

/**
 * `pressmark completion`: prints a script that completes commands and options in a shell.
 *
 * @param load loads all commands.
 */
export function completionCommand(load: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .addArgument(new Argument('[shell]', 'which shell').choices(Object.keys(SHELLS)))
    .option('--json', 'print the commands with their options, for any other program')
    .addHelpText('after', example('pressmark completion bash >> ~/.bashrc'))
    .action(async (shell: Shell | undefined, { json }: { json?: boolean }, command: Command) => {
      const commands = (await load()).map(completed);
      if (json) printJson(commands, 2);
      else if (shell === undefined)
        command.error(`error: name a shell: ${Object.keys(SHELLS).join(', ')}`, { exitCode: 2 });
      else process.stdout.write(SHELLS[shell](commands));
    });
}

function completed(command: Command): Completed {
  return {
    name: command.name(),
    description: firstWords(command.description()),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ long, flags, description }) => ({ flag: long ?? flags, description: firstWords(description) })),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

/** The beginning of a description, as shells have little room. */
const firstWords = (text: string): string => text.split(/[:;,(]/, 1)[0]?.trim() ?? '';

function bashScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, options, choices }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    return `    ${name}) offers='${choices.join(' ')}' flags='${flags}' ;;`;
  });
  return `# pressmark completion bash
_pressmark() {
  local current=\${COMP_WORDS[COMP_CWORD]} offers= flags=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help --help --version' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) offers='${names}' ;;
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD - 1]} $current" in
    *' '-*) offers=$flags ;;
    -*) return ;; # the value of an option
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
}
complete -o default -F _pressmark pressmark
`;
}

/** The script for zsh, to be loaded after `compinit`; zsh understands completions of bash. */
function zshScript(commands: readonly Completed[]): string {
  return `autoload -Uz bashcompinit && bashcompinit\n${bashScript(commands)}`;
}

function fishScript(commands: readonly Completed[]): string {
  const text = (words: string) => `'${words.replace(/['\\]/g, '\\$&')}'`;
  const lines = commands.flatMap(({ name, description, options, choices }) => {
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c pressmark -n __fish_use_subcommand -f -a ${name} -d ${text(description)}`,
      ...(choices.length > 0 ? [`complete -c pressmark ${when} -a '${choices.join(' ')}'`] : []),
      ...options.map(
        ({ flag, description: about }) =>
          `complete -c pressmark ${when} -l ${flag.replace(/^--/, '')} -d ${text(about)}`,
      ),
    ];
  });
  return ['# pressmark completion fish', ...lines, ''].join('\n');
}
