import { randomBytes } from 'node:crypto';
import { type Conversation, createConversation, type IsLast, type QuestionRun } from './conversation.js';
import { environmentOf, type GitPlace, settingsOf, startGroup } from './git-process.js';

/** A git command for `Launcher`. */
export interface LaunchedCommand {
  readonly args: readonly string[];
  readonly input: string | Buffer;
  /** Whether the input itself says where it ends, so that git reads no further. */
  readonly isDelimited: boolean;
  readonly indexFile: string | undefined;
  readonly literalPaths: boolean;
}

/** What a command has come to. */
export interface Launched {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git commands by way of lasting shells; see `createLauncher`. */
export interface Launcher {
  /** Whether it is of use for such a command: words with a line end could not be told apart. */
  accepts(command: LaunchedCommand): boolean;
  /** @throws PressmarkError GIT_FAILED where the command has no exit code: it took too long, or was stopped. */
  run(command: LaunchedCommand, run: QuestionRun): Promise<Launched>;
}

/**
 * Reads a line with numbers, then the words of a command, each in a line of its own, then its input; runs it; writes its
 * output, a line with its exit code, and what it wrote to standard error. No word is ever read as a part of a script.
 * `$1` marks the lines in between, and everything after it stands before the words.
 */
const SCRIPT = `
exec 3>&1
mark=$1
shift
while read -r begin words bytes literal index; do
  [ "$begin" = "$mark" ] || exit 1
  said=$(
    {
      while [ "$words" -gt 0 ]; do IFS= read -r word; set -- "$@" "$word"; words=$((words - 1)); done
      export GIT_LITERAL_PATHSPECS="$literal"
      [ -z "$index" ] || export GIT_INDEX_FILE="$index"
      case $bytes in
        0) exec git "$@" </dev/null ;;
        delimited) exec git "$@" ;;
        *) head -c "$bytes" | git "$@" ;;
      esac
    } 2>&1 >&3 3>&-
  )
  printf '\\n%s %s\\n%s\\n%s\\n' "$mark" "$?" "$said" "$mark"
done`;

/** The characters of the longest command; a shell reads it byte by byte. */
const LONGEST = 4_000;

/** How many shells stay for later. */
const MOST_IDLE = 4;

/**
 * What runs short git commands. Each new process costs a large program such as this one some milliseconds, in which it
 * does nothing else, as the system copies the tables of its memory; a shell, which is small, starts one in a fraction of
 * that. Commands that run at the same time have a shell each.
 */
export function createLauncher(place: GitPlace): Launcher {
  const idle: Shell[] = [];

  async function run(command: LaunchedCommand, limits: QuestionRun): Promise<Launched> {
    const shell = idle.pop() ?? startShell(place);
    const launched = await shell.run(command, limits);
    // a command that has failed may have left some of its input, which the shell would read next
    const isLeft = launched.code !== 0 && command.input.length > 0;
    if (isLeft || idle.length >= MOST_IDLE) shell.end();
    else idle.push(shell);
    return launched;
  }

  return { accepts, run };
}

function accepts({ args, indexFile = '' }: LaunchedCommand): boolean {
  const isShort = args.reduce((sum, word) => sum + word.length, 0) <= LONGEST;
  const isOfLines = [...args, indexFile].every((word) => !/[\n\0]/.test(word));
  return isShort && isOfLines && indexFile.trim() === indexFile;
}

interface Shell {
  run(command: LaunchedCommand, run: QuestionRun): Promise<Launched>;
  end: Conversation['end'];
}

function startShell(place: GitPlace): Shell {
  const mark = randomBytes(16).toString('hex');
  const { ask, end } = createConversation(() =>
    startGroup('sh', ['-c', SCRIPT, 'sh', mark, ...settingsOf(place)], {
      cwd: place.cwd,
      env: environmentOf(place),
    }),
  );

  async function run(command: LaunchedCommand, limits: QuestionRun): Promise<Launched> {
    const { args, isDelimited, indexFile = '', literalPaths } = command;
    const input = Buffer.from(command.input);
    const bytes = isDelimited ? 'delimited' : input.length;
    const head = [mark, args.length, bytes, literalPaths ? 1 : 0, indexFile].join(' ');
    const question = Buffer.concat([Buffer.from([head, ...args, ''].join('\n')), input]);
    const answer = await ask(`git ${args[0]}`, question, endsWith(`\n${mark}\n`), limits);
    const begin = answer.indexOf(`\n${mark} `);
    const [first = '', ...rest] = answer.toString('utf8', begin + 1).split('\n');
    return {
      code: Number(first.slice(mark.length + 1)),
      stdout: answer.subarray(0, begin),
      stderr: rest.slice(0, -2).join('\n'),
    };
  }

  return { run, end };
}

/** Whether what has come ends so. */
function endsWith(text: string): IsLast {
  const end = Buffer.from(text);
  let tail = Buffer.alloc(0);
  return (piece) => {
    tail = Buffer.concat([tail, piece.subarray(-end.length)]).subarray(-end.length);
    return tail.equals(end);
  };
}
