import { Command, CommanderError } from 'commander';
import { setVariables } from '../config/environment.js';
import { messageOf, PressmarkError } from '../errors.js';
import { PACKAGE_VERSION } from '../own-package.js';
import { type CommonOptions, withCommon } from './options.js';
import { isVerbose, printable, printableLines, setLoudness, unexpected } from './terminal.js';

/**
 * All commands with their descriptions. A command's file is loaded only when it runs: the help that lists all commands loads
 * none.
 */
const GROUPS = {
  Receiver: {
    init: [
      'find out how the site is built, and write a config and a secret; overwrites nothing',
      async () => (await import('./site/init.js')).initCommand(),
    ],
    start: [
      'receive articles, commit them, build the site, and serve it for preview',
      async () => (await import('./start.js')).startCommand(),
    ],
    build: ['build the whole site once', async () => (await import('./site/build.js')).buildCommand()],
    postbuild: [
      'check each article’s page after a build, and add its JSON-LD and item comment',
      async () => (await import('./site/postbuild.js')).postbuildCommand(),
    ],
    status: [
      'show how far articles have come, and what waits',
      async () => (await import('./site/status.js')).statusCommand(),
    ],
    doctor: [
      'find out what is wrong with the site, its settings and its articles',
      async () => (await import('./site/doctor.js')).doctorCommand(),
    ],
    demo: [
      'make a temporary site, send it articles, and serve it',
      async () => (await import('./demo/demo.js')).demoCommand(),
    ],
  },
  Articles: {
    list: [
      'list all articles; with --json also id and revision',
      async () => (await import('./articles/list.js')).listCommand(),
    ],
    urls: [
      'print the URLs of all articles and posts',
      async () => (await import('./articles/urls.js')).urlsCommand(),
    ],
    log: ['show the revisions of an article', async () => (await import('./articles/log.js')).logCommand()],
    revert: [
      'restore an earlier version of an article as a new revision',
      async () => (await import('./articles/revert.js')).revertCommand(),
    ],
    move: [
      'give all articles URLs at a new address; without --yes only show them',
      async () => (await import('./articles/move.js')).moveCommand(),
    ],
    forget: [
      'let the service publish a deleted article again',
      async () => (await import('./articles/forget.js')).forgetCommand(),
    ],
  },
  Sender: {
    connect: [
      'connect a receiver to publish to; without a name, list them',
      async () => (await import('./sender/connect.js')).connectCommand(),
    ],
    publish: [
      'publish Markdown files with front matter',
      async () => (await import('./sender/publish.js')).publishCommand(),
    ],
    refresh: [
      'replace published articles, unless somebody has changed them',
      async () => (await import('./sender/refresh.js')).refreshCommand(),
    ],
    deliveries: [
      'list, show, retry, send or cancel deliveries',
      async () => (await import('./sender/deliveries.js')).deliveriesCommand(),
    ],
    work: ['send what is due, every minute', async () => (await import('./sender/work.js')).workCommand()],
  },
  Checker: {
    check: [
      'check any receiver by the rules of the contract',
      async () => (await import('./check/check.js')).checkCommand(),
    ],
    'check-sender': [
      'check a sender by the rules of the contract',
      async () => (await import('./check/check-sender.js')).checkSenderCommand(),
    ],
    listen: [
      'receive or forward events, and check them against the contract',
      async () => (await import('./traffic/listen.js')).listenCommand(),
    ],
    send: [
      'sign and post one event, and print the answer',
      async () => (await import('./traffic/send.js')).sendCommand(),
    ],
    replay: [
      'send a recorded request again',
      async () => (await import('./traffic/replay.js')).replayCommand(),
    ],
  },
  'Plugins and admin': {
    plugin: [
      'write a plugin to start from, and its test',
      async () => (await import('./plugin.js')).pluginCommand(),
    ],
    plugins: [
      'list the plugins, and how often they ran and failed',
      async () => (await import('./plugins.js')).pluginsCommand(),
    ],
    admin: [
      'add, remove and list the users of the admin',
      async () => (await import('./admin.js')).adminCommand(),
    ],
  },
  Shell: {
    completion: [
      'print a completion script for ~/.bashrc, ~/.zshrc (behind compinit) or fish',
      async () => (await import('./completion.js')).completionCommand(allCommands),
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Described>>>>;

type Described = readonly [description: string, load: () => Promise<Command>];

/** The commands in the order of the help. */
const LISTED = Object.entries(GROUPS).flatMap(([group, commands]) =>
  Object.entries<Described>(commands).map(([name, [description, load]]) => ({
    name,
    group,
    description,
    load,
  })),
);

function describe(command: Command, { group, description }: (typeof LISTED)[number]): Command {
  return command.description(description).helpGroup(`${group}:`);
}

/** All commands by name, with the common options. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = Object.fromEntries(
  LISTED.map((listed) => [listed.name, async () => describe(withCommon(await listed.load()), listed)]),
);

function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

/** Exit codes: 0 fine, 1 failed, 2 wrong usage (a wrong config is wrong usage). */
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs the command in the arguments, and prints its errors.
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
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE; // it has printed its own message
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

/** Applies the common options. */
function heed({ config, quiet = false, verbose = false }: CommonOptions): void {
  setLoudness(quiet ? 'quiet' : verbose ? 'verbose' : 'usual');
  setVariables({
    ...(config !== undefined && { PRESSMARK_CONFIG: config }),
    ...(quiet && { PRESSMARK_LOG_LEVEL: 'error' }),
    ...(verbose && { PRESSMARK_LOG_LEVEL: 'debug' }),
  });
}

/** The name of a plugin's command: `<plugin>:<command>`. */
const OF_PLUGIN = /^[a-z0-9-]+:[a-z0-9-]+$/;

/** Turns `help build` into `build --help`. Help for an unknown command is an error, like the command itself. */
function wordsOf(words: readonly string[]): string[] {
  const [first = '', ...more] = words;
  if (first === 'help') return wordsOf([...more, '--help']);
  if (first === '--') return wordsOf(more);
  const isKnown = Object.hasOwn(COMMANDS, first) || OF_PLUGIN.test(first);
  return first === '' || first.startsWith('-') || isKnown ? [...words] : [first];
}

/** Makes the program with the named command, or with the names of all commands for the help and for suggestions. */
async function program(name: string | undefined): Promise<Command> {
  const pressmark = new Command('pressmark')
    .description('Receives signed articles and keeps them as Markdown files, git commits and pages.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() }) // arguments and options would leave no room for the descriptions
    .addHelpText(
      'after',
      '\nRun pressmark help <command> for its options.\npressmark plugins lists the commands of plugins.',
    )
    .showHelpAfterError('(run with --help for the options)')
    .hook('preAction', (_, command) => heed(command.opts<CommonOptions>()))
    .exitOverride();
  const load = name === undefined ? undefined : commandNamed(name);
  if (load === undefined) for (const listed of LISTED) describe(pressmark.command(listed.name), listed);
  else
    pressmark.addCommand(
      (await load()).exitOverride().showHelpAfterError('(run with --help for the options)'),
    );
  return pressmark;
}

function commandNamed(name: string): (() => Promise<Command>) | undefined {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name];
  if (!OF_PLUGIN.test(name)) return undefined;
  return async () => withCommon((await import('./plugin-command.js')).commandOfPlugin(name));
}

/**
 * Formats an error message on one line. Output of a build keeps its lines, and so do the faults of a config. Git's own words say
 * what is wrong with a repository.
 */
function shown({ code, message, cause }: PressmarkError): string {
  if (code === 'GIT_FAILED' && cause !== undefined) return printable(`${message}: ${messageOf(cause)}`);
  return ['BUILD_FAILED', 'CONFIG_INVALID'].includes(code) ? printableLines(message) : printable(message);
}
