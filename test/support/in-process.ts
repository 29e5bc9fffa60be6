import { runProgram } from '../../src/cli/program.js';
import type { Ended } from './receiver.js';

// As `run` gives the program no settings of the tester; on a build server, `build` does not ask for addresses.
for (const name of Object.keys(process.env))
  if (/^(?:PRESSMARK_(?!TEST_)|PORT$|CI$)/.test(name)) delete process.env[name];

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the program as `run` does, but in this process, because each start of it takes half a second of CPU time. What it
 * logs is not captured: a log is written past the streams of the process.
 */
export function runHere(words: readonly string[], env: NodeJS.Dict<string> = {}): Promise<Ended> {
  // One at a time: standard output, the environment and the exit code belong to the whole process.
  const ran = last.then(() => runAlone(words, env));
  last = ran.catch(() => undefined);
  return ran;
}

async function runAlone(words: readonly string[], env: NodeJS.Dict<string>): Promise<Ended> {
  // Tests that examine their sites at the same time must not try the same port.
  const variables: NodeJS.Dict<string> = { ...(words[0] === 'doctor' && { PORT: '0' }), ...env };
  // Which --config, --quiet and --verbose set for the rest of the process.
  for (const name of ['PRESSMARK_CONFIG', 'PRESSMARK_LOG_LEVEL']) variables[name] ??= undefined;
  const before = new Map(Object.keys(variables).map((name) => [name, process.env[name]]));
  const signals = ['SIGINT', 'SIGTERM', 'unhandledRejection'] as const;
  const listeners = signals.map((signal) => process.listeners(signal as NodeJS.Signals));
  const output = { stdout: '', stderr: '' };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      output[name] += String(text);
      return true;
    };
  setVariables(Object.entries(variables));
  process.exitCode = 0;
  try {
    const code = await runProgram(words);
    return { code, ...output };
  } finally {
    Object.assign(process.stdout, { write: writes.stdout });
    Object.assign(process.stderr, { write: writes.stderr });
    setVariables(before);
    process.exitCode = 0;
    for (const [n, signal] of signals.entries())
      for (const listener of process.listeners(signal as NodeJS.Signals))
        if (!listeners[n]?.includes(listener)) process.off(signal, listener);
  }
}

function setVariables(variables: Iterable<readonly [string, string | undefined]>): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
