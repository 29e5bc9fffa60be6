import { randomBytes } from 'node:crypto';
import { answerOf, createGit, type Git, type GitExit, type GitOptions, limitsOf, nameOf } from './git.js';
import { environmentOf, settingsOf, startGroup } from './git-process.js';
import { createLongRunningProcess, type IsLast, type RequestLimits } from './long-running-process.js';

/** A git command for a shell. */
interface LaunchedCommand {
  readonly args: readonly string[];
  readonly input: string | Buffer;
  readonly indexFile: string;
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
while read -r begin words bytes index; do
  [ "$begin" = "$mark" ] || exit 1
  said=$(
    {
      while [ "$words" -gt 0 ]; do IFS= read -r word; set -- "$@" "$word"; words=$((words - 1)); done
      [ -z "$index" ] || export GIT_INDEX_FILE="$index"
      case $bytes in
        0) exec git "$@" </dev/null ;;
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
 * Runs short git commands by way of long-running shells; those that take long, or run at the same time as others, are children
 * of this process. Each new process costs a large program such as this one some milliseconds, in which it does nothing
 * else, as the system copies the tables of its memory; a shell, which is small, starts one in a fraction of that.
 * Commands that run at the same time have a shell each.
 */
export function createLaunchedGit(options: GitOptions): Git {
  const git = createGit(options);
  const idle: Shell[] = [];

  return async function launchedGit(args, run = {}) {
    const { input = '', indexFile = '' } = run;
    const isShort = !run.background && !run.onOutput && !run.env;
    if (!isShort || !(typeof input === 'string' || Buffer.isBuffer(input))) return git(args, run);
    const command = { args, input, indexFile };
    if (!isOfLines(command)) return git(args, run);
    const shell = idle.pop() ?? startShell(options);
    const exit = await shell.run(command, limitsOf(run, options));
    // a command that has failed may not have read all of its input, which the shell would read next
    const mayBeUnread = exit.code !== 0 && input.length > 0;
    if (mayBeUnread || idle.length >= MOST_IDLE) shell.end();
    else idle.push(shell);
    return answerOf(args, run, exit);
  };
}

/** Whether a shell can tell the words of a command apart, soon enough. */
function isOfLines({ args, indexFile }: LaunchedCommand): boolean {
  const length = args.reduce((sum, word) => sum + word.length, 0);
  return (
    length <= LONGEST &&
    [...args, indexFile].every((word) => !/[\n\0]/.test(word)) &&
    indexFile.trim() === indexFile
  );
}

type Shell = ReturnType<typeof startShell>;

function startShell(options: GitOptions) {
  const mark = randomBytes(16).toString('hex');
  const { ask, end } = createLongRunningProcess(() =>
    startGroup('sh', ['-c', SCRIPT, 'sh', mark, ...settingsOf(options)], {
      cwd: options.cwd,
      env: environmentOf(options),
    }),
  );

  /** @throws PressmarkError GIT_FAILED where the command has no exit code: it took too long, or was stopped. */
  async function run(command: LaunchedCommand, limits: RequestLimits): Promise<GitExit> {
    const { args, input, indexFile } = command;
    const bytes = Buffer.from(input);
    const head = [mark, args.length, bytes.length, indexFile].join(' ');
    const request = Buffer.concat([Buffer.from([head, ...args, ''].join('\n')), bytes]);
    const reply = await ask(nameOf(args), request, endsWith(`\n${mark}\n`), limits);
    const begin = reply.indexOf(`\n${mark} `);
    const [first = '', ...rest] = reply.toString('utf8', begin + 1).split('\n');
    return {
      code: Number(first.slice(mark.length + 1)),
      stdout: reply.subarray(0, begin),
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
