import { spawnSync } from 'node:child_process';

/** As of a scenario: the program that the machine lacks, if it does. */
export function missingStrace(): string | undefined {
  const { status } = spawnSync('strace', ['-V'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'strace (Debian package strace)';
}

/** A file descriptor as `strace -y` shows it. */
export interface Descriptor {
  /** -100 stands for the current folder (AT_FDCWD). */
  readonly number: number;
  readonly path: string;
  /** Whether the file no longer has the name `path`. */
  readonly deleted: boolean;
}

/** One finished system call. */
export interface Call {
  /** The lines of the log at which the call begins and ends. */
  readonly begin: number;
  readonly end: number;
  /** The thread that made it. */
  readonly thread: number;
  readonly name: string;
  /** The string arguments in their order, including those of an iovec. */
  readonly strings: readonly Buffer[];
  readonly descriptors: readonly Descriptor[];
  /** The arguments with `S` for each string and `F` for each descriptor. */
  readonly text: string;
  /** The return value; -1 if the call failed. */
  readonly result: number;
}

/**
 * The options of strace for a log that `parseStrace` can read. The log has the return values of `read`, but no
 * contents.
 */
export const STRACE_OPTIONS = [...['-f', '-y', '-xx', '-s', '8000000', '--seccomp-bpf', '-e', 'raw=read']];

/**
 * Parses the output of `strace -f -y -xx -s <large> -o`: all completed calls, in the order of their ends.
 *
 * @param isWanted selects the lines that are parsed; most lines concern other files, and parsing is slow.
 * @throws Error if strace has truncated a string.
 */
export function parseStrace(log: string, isWanted: (line: string) => boolean = () => true): Call[] {
  const begun = new Map<string, { readonly line: number; readonly text: string }>();
  const calls: Call[] = [];
  for (const [line, entry] of log.split('\n').entries()) {
    const [, thread = '', output = ''] = /^(\d+) +(.*)$/s.exec(entry) ?? [];
    if (output.endsWith('<unfinished ...>')) {
      begun.set(thread, { line, text: output.slice(0, -'<unfinished ...>'.length).trimEnd() });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(output);
    const start = resumed === null ? { line, text: '' } : begun.get(thread);
    if (start === undefined) continue;
    const text = resumed === null ? output : `${start.text}${resumed[1]}`;
    if (!isWanted(text)) continue;
    const call = parseCall(text);
    if (call !== undefined) calls.push({ begin: start.line, end: line, thread: Number(thread), ...call });
  }
  return calls;
}

/** An argument that is a string, or a descriptor with its path. */
const ARGUMENT = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?|(-?\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/g;

function parseCall(output: string): Omit<Call, 'begin' | 'end' | 'thread'> | undefined {
  const [, name, rest, result] = /^(\w+)\((.*)\) += (-?0x[0-9a-f]+|-?\d+|\?)/s.exec(output) ?? [];
  if (name === undefined || rest === undefined || result === '?') return undefined;
  const strings: Buffer[] = [];
  const descriptors: Descriptor[] = [];
  const text = rest.replace(
    ARGUMENT,
    (_, string?: string, cut?: string, fd = '', path = '', gone?: string) => {
      if (cut !== undefined) throw new Error(`strace has truncated a string of ${name}`);
      if (string !== undefined) {
        strings.push(bytesOf(string));
        return 'S';
      }
      const number = fd === 'AT_FDCWD' ? -100 : Number(fd);
      descriptors.push({ number, path: bytesOf(path).toString(), deleted: gone !== undefined });
      return 'F';
    },
  );
  return { name, strings, descriptors, text, result: Number(result) };
}

/** A text as strace writes it with `-xx`, to search for it in lines that are not parsed yet. */
export function hexOf(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replace(/../g, (byte) => `\\x${byte}`);
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** The process of each thread, except for main threads, whose ids are those of their processes. */
export function processesOf(calls: readonly Call[]): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  for (const { name, text, thread, result } of calls)
    if (/^clone3?$/.test(name) && text.includes('CLONE_THREAD')) parents.set(result, thread);
  const processes = new Map<number, number>();
  for (const thread of parents.keys()) {
    let at = thread;
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) at = up;
    processes.set(thread, at);
  }
  return processes;
}
