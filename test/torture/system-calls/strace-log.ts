/** A file descriptor as `strace -y` shows it. */
export interface Descriptor {
  /** -100 stands for the current folder (AT_FDCWD). */
  readonly number: number;
  readonly path: string;
  /** Whether the file has no name any more at `path`. */
  readonly deleted: boolean;
}

/** One finished system call. */
export interface Call {
  /** Where it begins and ends in the recording, counted in lines. */
  readonly begin: number;
  readonly end: number;
  /** When it began, in seconds since 1970. */
  readonly time: number;
  /** The thread that made it. */
  readonly thread: number;
  readonly name: string;
  /** The arguments that are strings, in their order; those of an iovec too. */
  readonly strings: readonly Buffer[];
  readonly descriptors: readonly Descriptor[];
  /** The arguments with `S` for each string and `F` for each descriptor. */
  readonly text: string;
  /** What it returned; -1 where it failed. */
  readonly result: number;
  /** Whether it was made to fail by strace. */
  readonly injected: boolean;
}

/** The options with which strace writes what `parseStrace` reads; of `read` no contents, just how much was read. */
export const STRACE_OPTIONS = ['-f', '-y', '-ttt', '-xx', '-s', '8000000', '--seccomp-bpf', '-e', 'raw=read'];

/**
 * Reads what `strace -f -y -ttt -xx -s <large> -o` has written: all calls that have ended, in the order of their end.
 *
 * @param isWanted asked about each line before it is parsed; most lines are about files that nobody is interested in.
 * @throws Error where strace has cut a string off.
 */
export function parseStrace(log: string, isWanted: (line: string) => boolean = () => true): Call[] {
  const begun = new Map<string, { readonly line: number; readonly time: number; readonly text: string }>();
  const calls: Call[] = [];
  for (const [line, entry] of log.split('\n').entries()) {
    const [, thread = '', seconds = '', said = ''] = /^(\d+) +([\d.]+) (.*)$/s.exec(entry) ?? [];
    if (said.endsWith('<unfinished ...>')) {
      const text = said.slice(0, -'<unfinished ...>'.length).trimEnd();
      begun.set(thread, { line, time: Number(seconds), text });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(said);
    const start = resumed === null ? { line, time: Number(seconds), text: '' } : begun.get(thread);
    if (start === undefined) continue;
    const text = resumed === null ? said : `${start.text}${resumed[1]}`;
    if (!isWanted(text)) continue;
    const call = parseCall(text);
    if (call !== undefined)
      calls.push({ begin: start.line, end: line, time: start.time, thread: Number(thread), ...call });
  }
  return calls;
}

/** A string, or a descriptor with its path. */
const ARGUMENT = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?|(-?\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/g;

function parseCall(said: string): Omit<Call, 'begin' | 'end' | 'time' | 'thread'> | undefined {
  const [, name, rest, result] = /^(\w+)\((.*)\) += (-?0x[0-9a-f]+|-?\d+|\?)/s.exec(said) ?? [];
  if (name === undefined || rest === undefined || result === '?') return undefined;
  const strings: Buffer[] = [];
  const descriptors: Descriptor[] = [];
  const text = rest.replace(
    ARGUMENT,
    (_, string?: string, cut?: string, fd = '', path = '', gone?: string) => {
      if (cut !== undefined) throw new Error(`strace has cut off a string of ${name}`);
      if (string !== undefined) {
        strings.push(bytesOf(string));
        return 'S';
      }
      const number = fd === 'AT_FDCWD' ? -100 : Number(fd);
      descriptors.push({ number, path: bytesOf(path).toString(), deleted: gone !== undefined });
      return 'F';
    },
  );
  const injected = said.endsWith('(INJECTED)');
  return { name, strings, descriptors, text, result: Number(result), injected };
}

/** How strace writes a text with `-xx`; for looking into its lines before they are parsed. */
export function hexOf(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replace(/../g, (byte) => `\\x${byte}`);
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** Which process each thread belongs to, of those that were made by another one of theirs. */
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
