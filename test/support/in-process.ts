import { type Command, CommanderError } from 'commander';
import { messageOf, PressmarkError } from '../../src/errors.js';

/** The result of a command that ran in the test's own process. */
export interface Ran {
  /** The value of `process.exitCode` after the command; 0 if it set none. */
  readonly code: number;
  readonly stdout: string;
  /** What it printed, and the message of the error that it threw. */
  readonly stderr: string;
  /** The code of that error, such as `USAGE`, or `commander.missingArgument` for wrong arguments. */
  readonly error: string | undefined;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as the program does, but in this process, because each start of the program takes 0.4 s of CPU time.
 * Only the program turns errors into exit codes; each test file also runs the program a few times to check them.
 */
export function runHere(
  command: Command,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  // One at a time: standard output, the environment and the exit code belong to the whole process.
  const ran = last.then(() => runAlone(command, args, env));
  last = ran.catch(() => undefined);
  return ran;
}

async function runAlone(
  command: Command,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const output = { stdout: '', stderr: '' };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  const before = { ...process.env };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const listeners = signals.map((signal) => process.listeners(signal));
  let error: string | undefined;
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      output[name] += String(text);
      return true;
    };
  Object.assign(process.env, env);
  process.exitCode = 0;
  try {
    await command.exitOverride().parseAsync([...args], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError || thrown instanceof PressmarkError)) throw thrown;
    error = thrown.code;
    if (thrown instanceof PressmarkError) output.stderr += `pressmark: ${messageOf(thrown)}\n`;
  } finally {
    Object.assign(process.stdout, { write: writes.stdout });
    Object.assign(process.stderr, { write: writes.stderr });
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    for (const [n, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!listeners[n]?.includes(listener)) process.off(signal, listener);
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  return { code, ...output, error };
}
