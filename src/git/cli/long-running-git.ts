import { type GitOptions, nameOf, TIMEOUT_MS } from './git.js';
import { environmentOf, settingsOf, startGroup } from './git-process.js';
import { createLongRunningProcess, type IsLast, type LongRunningProcess } from './long-running-process.js';

/** How one request is made. */
export interface AskRun {
  /** How long git may take for it, in milliseconds. @default the limit that `createLongRunningGit` was given */
  readonly timeoutMs?: number;
  /** What git has read once and for all when it starts; where that has changed since, another git is started. */
  readonly basis?: string;
}

/**
 * Asks a git command that replies to requests on its standard input for as long as that is open.
 *
 * @param args the command; one process replies to all requests to the same one, in turn.
 * @throws PressmarkError GIT_FAILED; its `cause` holds what git said, which may name paths of the machine.
 */
export type Ask = (args: readonly string[], request: string, isLast: IsLast, run?: AskRun) => Promise<Buffer>;

/** The long-running processes of one repository. Each starts with the first request to it. */
export function createLongRunningGit(options: GitOptions): Ask {
  const processes = new Map<string, { process: LongRunningProcess; basis: string | undefined }>();
  const { cwd, signal } = options;
  const env = environmentOf(options);
  const signals = signal === undefined ? [] : [signal];

  function processFor(args: readonly string[], basis: string | undefined): LongRunningProcess {
    const key = args.join(' ');
    const known = processes.get(key);
    if (known !== undefined && known.basis === basis) return known.process;
    known?.process.end();
    const process = createLongRunningProcess(() =>
      startGroup('git', [...settingsOf(options), ...args], { cwd, env }),
    );
    processes.set(key, { process, basis });
    return process;
  }

  return (args, request, isLast, { timeoutMs = options.timeoutMs ?? TIMEOUT_MS, basis } = {}) =>
    processFor(args, basis).ask(nameOf(args), request, isLast, { timeoutMs, signals });
}

/** A reply of so many parts, each of which ends in this byte. */
export function parts(count: number, end: '\n' | '\0'): IsLast {
  const byte = end.charCodeAt(0);
  let remaining = count;
  return (piece) => {
    for (let at = piece.indexOf(byte); at !== -1; at = piece.indexOf(byte, at + 1)) remaining--;
    return remaining <= 0;
  };
}
