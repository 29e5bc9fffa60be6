import { Command, CommanderError } from 'commander';
import { setVariables } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { PACKAGE_VERSION } from '../own-package.js';
import { type CommonOptions, withCommon } from './options.js';
import { isVerbose, printable, printableLines, setLoudness, unexpected } from './terminal.js';

/** Each command in a file of its own, loaded when it is asked for: starting the program takes half the time. */
const GROUPS = {
  Receiver: {
    init: async () => (await import('./site/init.js')).initCommand(),
    start: async () => (await import('./start.js')).startCommand(),
    build: async () => (await import('./site/build.js')).buildCommand(),
    postbuild: async () => (await import('./site/postbuild.js')).postbuildCommand(),
    status: async () => (await import('./site/status.js')).statusCommand(),
    doctor: async () => (await import('./site/doctor.js')).doctorCommand(),
    demo: async () => (await import('./demo/demo.js')).demoCommand(),
  },
  Articles: {
    list: async () => (await import('./articles/list.js')).listCommand(),
    urls: async () => (await import('./articles/urls.js')).urlsCommand(),
    log: async () => (await import('./articles/log.js')).logCommand(),
    revert: async () => (await import('./articles/revert.js')).revertCommand(),
    move: async () => (await import('./articles/move.js')).moveCommand(),
    forget: async () => (await import('./articles/forget.js')).forgetCommand(),
  },
  Sender: {
    connect: async () => (await import('./sender/connect.js')).connectCommand(),
    publish: async () => (await import('./sender/publish.js')).publishCommand(),
    refresh: async () => (await import('./sender/refresh.js')).refreshCommand(),
    deliveries: async () => (await import('./sender/deliveries.js')).deliveriesCommand(),
    work: async () => (await import('./sender/work.js')).workCommand(),
  },
  Checker: {
    check: async () => (await import('./check/check.js')).checkCommand(),
    'check-sender': async () => (await import('./check/check-sender.js')).checkSenderCommand(),
    listen: async () => (await import('./traffic/listen.js')).listenCommand(),
    send: async () => (await import('./traffic/send.js')).sendCommand(),
    replay: async () => (await import('./traffic/replay.js')).replayCommand(),
  },
  'Plugins and admin': {
    plugin: async () => (await import('./plugin.js')).pluginCommand(),
    plugins: async () => (await import('./plugins.js')).pluginsCommand(),
    admin: async () => (await import('./admin.js')).adminCommand(),
  },
  Shell: {
    completion: async () => (await import('./completion.js')).completionCommand(allCommands),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>>;

/** All commands by their names, with the options that every command has. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = Object.fromEntries(
  Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries<() => Promise<Command>>(commands).map(([name, load]) => [
      name,
      async () => withCommon(await load()).helpGroup(`${group}:`),
    ]),
  ),
);

function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

/** Exit codes: 0 fine, 1 failed, 2 wrong usage (a wrong config is wrong usage). */
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs the command that the words name, and prints what keeps it from its work.
 *
 * @param words the arguments of the program, such as `['build', '--json']`.
 * @returns the exit code.
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  try {
    const all = wordsOf(words);
    await (await program(all[0])).parseAsync(all, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE; // it has printed its own line
    console.error(
      `pressmark: ${error instanceof PressmarkError ? shown(error) : printableLines(unexpected(error))}`,
    );
    if (isVerbose()) for (const cause of causesOf(error)) console.error(`  because: ${printable(cause)}`);
    return error instanceof PressmarkError && ['CONFIG_INVALID', 'USAGE'].includes(error.code)
      ? WRONG_USAGE
      : FAILED;
  }
}

function* causesOf(error: unknown): Generator<string> {
  for (let at = error; at instanceof Error && at.cause !== undefined; at = at.cause)
    yield unexpected(at.cause);
}

/** What the options say that every command has. */
function heed({ config, quiet = false, verbose = false }: CommonOptions): void {
  setLoudness(quiet ? 'quiet' : verbose ? 'verbose' : 'usual');
  setVariables({
    ...(config !== undefined && { PRESSMARK_CONFIG: config }),
    ...(quiet && { PRESSMARK_LOG_LEVEL: 'error' }),
    ...(verbose && { PRESSMARK_LOG_LEVEL: 'debug' }),
  });
}

/** `help build` is `build --help`; the help of a command that does not exist is an error, as that command is. */
function wordsOf(words: readonly string[]): string[] {
  const [first = '', ...more] = words;
  if (first === 'help') return wordsOf([...more, '--help']);
  return first === '' || first.startsWith('-') || Object.hasOwn(COMMANDS, first) ? [...words] : [first];
}

/** The program with the command that was named; with all of them where none was, for the help and for suggestions. */
async function program(name: string | undefined): Promise<Command> {
  const pressmark = new Command('pressmark')
    .description('Receives signed articles and keeps them as Markdown files, git commits and pages.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() }) // arguments and options would leave no room for the descriptions
    .addHelpText('after', '\nRun pressmark help <command> for its options.')
    .showHelpAfterError('(run with --help for the options)')
    .hook('preAction', (_, command) => heed(command.opts<CommonOptions>()))
    .exitOverride();
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (name === '--version' || name === '-V') return pressmark;
  for (const load of named === undefined ? Object.values(COMMANDS) : [named]) {
    const command = await load();
    pressmark.addCommand(command.exitOverride().showHelpAfterError('(run with --help for the options)'));
  }
  return pressmark;
}

/** A message on one line; what a build has printed keeps its lines, and each fault of a config has one. */
function shown({ code, message }: PressmarkError): string {
  return ['BUILD_FAILED', 'CONFIG_INVALID'].includes(code) ? printableLines(message) : printable(message);
}
