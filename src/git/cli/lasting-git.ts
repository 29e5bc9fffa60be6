import { type Conversation, createConversation, type IsLast } from './conversation.js';
import { type GitOptions, TIMEOUT_MS } from './git.js';
import { environmentOf, settingsOf, startGroup } from './git-process.js';

/** How one question is asked. */
export interface AskRun {
  /** How long git may take for it, in milliseconds. @default what `createLastingGit` was told */
  readonly timeoutMs?: number;
  /** Ends git, if it has not answered this question yet. */
  readonly signal?: AbortSignal;
  /** False for the commands that refuse to be told that no path is a pattern. @default true */
  readonly literalPaths?: boolean;
  /** What git has read once and for all when it starts; where that has changed since, another git is started. */
  readonly basis?: string;
}

/**
 * Asks a git command that answers questions on its standard input for as long as that is open.
 *
 * @param args the command; one process answers all questions to the same one, in turn.
 * @throws PressmarkError GIT_FAILED; its `cause` holds what git said, which may name paths of the machine.
 */
export type Ask = (
  args: readonly string[],
  question: string,
  isLast: IsLast,
  run?: AskRun,
) => Promise<Buffer>;

/** The lasting processes of one repository. Each starts with the first question to it. */
export function createLastingGit(options: GitOptions): Ask {
  const partners = new Map<string, { conversation: Conversation; basis: string | undefined }>();

  function partnerFor(args: readonly string[], literalPaths: boolean, basis: string | undefined) {
    const name = args.join(' ');
    const known = partners.get(name);
    if (known !== undefined && known.basis === basis) return known;
    known?.conversation.end();
    const env = { ...environmentOf(options), ...(!literalPaths && { GIT_LITERAL_PATHSPECS: '0' }) };
    const start = () => startGroup('git', [...settingsOf(options), ...args], { cwd: options.cwd, env });
    const partner = { conversation: createConversation(start), basis };
    partners.set(name, partner);
    return partner;
  }

  return (args, question, isLast, { timeoutMs, signal, literalPaths = true, basis } = {}) =>
    partnerFor(args, literalPaths, basis).conversation.ask(`git ${args[0]}`, question, isLast, {
      timeoutMs: timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
      signals: [options.signal, signal].filter((one) => one !== undefined),
    });
}

/** An answer of so many parts, each of which ends in this byte. */
export function parts(count: number, end: '\n' | '\0'): IsLast {
  const byte = end.charCodeAt(0);
  let remaining = count;
  return (piece) => {
    for (let at = piece.indexOf(byte); at !== -1; at = piece.indexOf(byte, at + 1)) remaining--;
    return remaining <= 0;
  };
}
