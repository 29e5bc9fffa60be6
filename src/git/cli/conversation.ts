import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { messageOf, PressmarkError } from '../../errors.js';
import { createMutex } from '../../fs/mutex.js';
import { killGroup, outputForPeople } from './git-process.js';

/** A lasting process that answers one question after the other; see `createConversation`. */
export interface Conversation {
  /**
   * Asks a question once those before it have their answers.
   *
   * @param name what is asked, for errors.
   * @param isLast is given each piece of the answer, in order; says whether the answer is whole with it.
   * @throws PressmarkError GIT_FAILED where the process ends, takes longer than `timeoutMs`, or is stopped by a signal.
   */
  ask(name: string, question: string | Buffer, isLast: IsLast, run: QuestionRun): Promise<Buffer>;
  /** Lets the process end once it has answered; the next question starts another one. */
  end(): void;
}

/** Whether an answer is whole with this piece of it. */
export type IsLast = (piece: Buffer) => boolean;

/** How one question is asked. */
export interface QuestionRun {
  readonly timeoutMs: number;
  /** Each of them ends the process, if it has not answered this question yet. */
  readonly signals: readonly AbortSignal[];
}

/** How long a process stays that nobody asks, in milliseconds: it has packs of the repository open. */
const IDLE_MS = 5_000;

/** A process that runs. */
interface Partner {
  readonly child: ChildProcess;
  /** What it has written to standard error since it was asked. */
  readonly complaints: Buffer[];
  /** Called with each piece that it writes, and without one when it has ended. */
  heard: (piece?: Buffer) => void;
  /** Why it answers no more. */
  ended: string | undefined;
}

/**
 * Holds a conversation with a process that answers questions on its standard input. It is started by the first
 * question, and by the first one after it has ended. While nobody asks, it keeps neither this process alive nor itself:
 * it ends after five seconds, and with this process, as its input ends then.
 *
 * @param start starts it, with pipes, as the leader of a process group.
 */
export function createConversation(start: () => ChildProcess): Conversation {
  const turns = createMutex();
  let partner: Partner | undefined;
  let idle: NodeJS.Timeout | undefined;

  function ask(name: string, question: string | Buffer, isLast: IsLast, run: QuestionRun): Promise<Buffer> {
    return turns.run(async () => {
      clearTimeout(idle);
      if (partner === undefined || partner.ended !== undefined) partner = meet(start());
      try {
        return await answerOf(partner, name, question, isLast, run);
      } catch (error) {
        stop(partner, 'failed');
        throw error;
      } finally {
        idle = setTimeout(end, IDLE_MS).unref();
      }
    });
  }

  function end(): void {
    clearTimeout(idle);
    partner?.child.stdin?.end();
    if (partner !== undefined) partner.ended ??= 'has ended';
  }

  return { ask, end };
}

/** Listens to a process that has just been started. */
function meet(child: ChildProcess): Partner {
  const partner: Partner = { child, complaints: [], heard: () => undefined, ended: undefined };
  const over = (why: string) => {
    partner.ended ??= why;
    partner.heard();
  };
  child.stdout?.on('data', (piece: Buffer) => partner.heard(piece));
  child.stderr?.on('data', (piece: Buffer) => partner.complaints.push(piece));
  // its end is what counts, and a process that ends early says why by its exit code
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  child.on('error', (error) => over(`could not be run: ${messageOf(error)}`));
  child.on('close', (code) => over(`ended with exit code ${code ?? -1}`));
  // Whoever waits for an answer has a timer running; without one, nothing here keeps this process alive.
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  return partner;
}

function stop(partner: Partner, why: string): void {
  partner.ended ??= why;
  killGroup(partner.child);
}

async function answerOf(
  partner: Partner,
  name: string,
  question: string | Buffer,
  isLast: IsLast,
  { timeoutMs, signals }: QuestionRun,
): Promise<Buffer> {
  const { child, complaints } = partner;
  complaints.length = 0;
  const pieces: Buffer[] = [];
  const failure = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => done(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
    const abort = () => done('was stopped');
    function done(why?: string): void {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
      partner.heard = () => undefined;
      resolve(why);
    }
    partner.heard = (piece) => {
      if (piece !== undefined) pieces.push(piece);
      if (piece !== undefined && isLast(piece)) done();
      else if (partner.ended !== undefined) done(partner.ended);
    };
    for (const signal of signals) signal.addEventListener('abort', abort);
    if (signals.some(({ aborted }) => aborted)) return abort();
    child.stdin?.write(question);
    if (partner.ended !== undefined) done(partner.ended);
  });
  if (failure === undefined) return Buffer.concat(pieces);
  throw new PressmarkError('GIT_FAILED', `${name} ${failure}`, {
    cause: new Error(outputForPeople(Buffer.concat(complaints).toString('utf8'))),
  });
}
