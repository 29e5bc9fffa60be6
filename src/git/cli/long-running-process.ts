import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { messageOf, PressmarkError } from '../../errors.js';
import { createMutex } from '../../fs/mutex.js';
import { killGroup, outputForPeople } from './git-process.js';

/** A process that answers one request after the other; see `createLongRunningProcess`. */
export interface LongRunningProcess {
  /**
   * Writes a request to the process once those before it have their replies.
   *
   * @param name what is requested, for errors.
   * @param isLast is given each piece of the reply, in order; says whether the reply is whole with it.
   * @throws PressmarkError GIT_FAILED where the process ends, takes longer than `timeoutMs`, or is stopped by a signal.
   */
  ask(name: string, request: string | Buffer, isLast: IsLast, limits: RequestLimits): Promise<Buffer>;
  /** Lets the process end once it has replied; the next request starts another one. */
  end(): void;
}

/** Whether a reply is whole with this piece of it. */
export type IsLast = (piece: Buffer) => boolean;

/** How long one request may take. */
export interface RequestLimits {
  readonly timeoutMs: number;
  /** Each of them ends the process, if it has not replied to this request yet. */
  readonly signals: readonly AbortSignal[];
}

/** How long a process stays that gets no request, in milliseconds: it has packs of the repository open. */
const IDLE_MS = 5_000;

/** A process that was started. */
interface Started {
  readonly child: ChildProcess;
  /** What it has written to standard error since the last request. */
  readonly stderr: Buffer[];
  /** Called with each piece that it writes, and without one when it has ended. */
  onOutput: (piece?: Buffer) => void;
  /** Why it replies no more. */
  ended: string | undefined;
}

/**
 * A process that replies to requests on its standard input. It is started by the first request, and by the first one
 * after it has ended. Without requests, it keeps neither this process alive nor itself: it ends after five seconds, and
 * with this process, as its input ends then.
 *
 * @param start starts it, with pipes, as the leader of a process group.
 */
export function createLongRunningProcess(start: () => ChildProcess): LongRunningProcess {
  const turns = createMutex();
  let process: Started | undefined;
  let idle: NodeJS.Timeout | undefined;

  function ask(name: string, request: string | Buffer, isLast: IsLast, limits: RequestLimits) {
    return turns.run(async () => {
      clearTimeout(idle);
      if (process === undefined || process.ended !== undefined) process = listenTo(start());
      try {
        return await replyOf(process, name, request, isLast, limits);
      } catch (error) {
        process.ended ??= 'failed';
        killGroup(process.child);
        throw error;
      } finally {
        idle = setTimeout(end, IDLE_MS).unref();
      }
    });
  }

  function end(): void {
    clearTimeout(idle);
    process?.child.stdin?.end();
    if (process !== undefined) process.ended ??= 'has ended';
  }

  return { ask, end };
}

function listenTo(child: ChildProcess): Started {
  const process: Started = { child, stderr: [], onOutput: () => undefined, ended: undefined };
  const end = (why: string) => {
    process.ended ??= why;
    process.onOutput();
  };
  child.stdout?.on('data', (piece: Buffer) => process.onOutput(piece));
  child.stderr?.on('data', (piece: Buffer) => process.stderr.push(piece));
  // its end is what counts, and a process that ends early says why by its exit code
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  child.on('error', (error) => end(`could not be run: ${messageOf(error)}`));
  child.on('close', (code) => end(`ended with exit code ${code ?? -1}`));
  // Whoever waits for a reply has a timer running; without one, nothing here keeps this process alive.
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  return process;
}

async function replyOf(
  process: Started,
  name: string,
  request: string | Buffer,
  isLast: IsLast,
  { timeoutMs, signals }: RequestLimits,
): Promise<Buffer> {
  process.stderr.length = 0;
  const pieces: Buffer[] = [];
  const failure = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => done(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
    const abort = () => done('was stopped');
    function done(why?: string): void {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
      process.onOutput = () => undefined;
      resolve(why);
    }
    process.onOutput = (piece) => {
      if (piece !== undefined) pieces.push(piece);
      if (piece !== undefined && isLast(piece)) done();
      else if (process.ended !== undefined) done(process.ended);
    };
    for (const signal of signals) signal.addEventListener('abort', abort);
    if (signals.some(({ aborted }) => aborted)) return abort();
    process.child.stdin?.write(request);
    if (process.ended !== undefined) done(process.ended);
  });
  if (failure === undefined) return Buffer.concat(pieces);
  const cause = new Error(outputForPeople(Buffer.concat(process.stderr).toString('utf8')));
  throw new PressmarkError('GIT_FAILED', `${name} ${failure}`, { cause });
}
