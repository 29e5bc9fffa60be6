import { type ChildProcess, fork } from 'node:child_process';
import { childEnvironment } from '../../child-environment.js';
import type { BuildWish } from '../../deploy/build/build-site.js';
import type { BuildAnswer } from '../../deploy/build-plugin.js';
import { messageOf } from '../../errors.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import type { AddressAnswer, BuildMessage, LoggedLine } from './build-process.js';

/** The process that builds a site. */
export type BuildProcess = ReturnType<typeof createBuildProcess>;

type BuildError = Extract<BuildAnswer, { readonly kind: 'error' }>;

/** How much of the process's output is kept for an error message, in characters. */
const MOST_PRINTED = 2_000;

/**
 * How long the process may take to end before it is killed, in milliseconds. The same holds once its channel is closed, as the
 * site's code may do: it cannot answer any more. The generator that it runs has 3 seconds of this to end; see `runShellCommand`.
 */
const CLOSE_MS = 4_000;

/**
 * Creates the process that builds a site; it is started on first use. It handles one request at a time, and its answers never
 * reject.
 *
 * @param dir the site's folder.
 * @param log gets the faults of plugins in the process.
 */
export function createBuildProcess(dir: string, env: NodeJS.Dict<string>, log?: Log) {
  let child: ChildProcess | undefined;
  let closed = false;
  /** Resolves the current request. */
  let settle: (answer: unknown) => void = () => undefined;
  /** The output of the process since then. */
  let printed = '';

  function start(): ChildProcess {
    const started = fork(new URL('./build-process.js', import.meta.url), [dir], {
      env: childEnvironment(env),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    });
    // A process that was replaced may still be ending; ignore it.
    started.stderr?.on('data', (chunk: Buffer) => {
      if (child === started) printed = `${printed}${chunk.toString('utf8')}`.slice(-MOST_PRINTED);
    });
    started.on('message', (message: { readonly kind: string } | LoggedLine) => {
      if (child !== started) return;
      if (!('line' in message)) settle(message);
      else if (log !== undefined) write(message, log);
    });
    const end = (why: string) => {
      if (child !== started) return;
      child = undefined;
      settle({
        kind: 'error',
        reason: [why, printed.trim()].filter(Boolean).join(': '),
      } satisfies BuildError);
    };
    // A process that could not be started emits `error`, and no `exit`.
    started.on('error', (error) => end(messageOf(error)));
    started.once('exit', (code, signal) =>
      end(`the build process ended with ${signal ?? `exit code ${code}`}`),
    );
    started.once('disconnect', () => setTimeout(() => started.kill('SIGKILL'), CLOSE_MS).unref());
    return started;
  }

  function ask<Answer>(question: BuildMessage): Promise<Answer | BuildError> {
    if (closed) return Promise.resolve({ kind: 'error', reason: 'the receiver stops' });
    return new Promise((resolve) => {
      settle = resolve as (answer: unknown) => void;
      printed = '';
      try {
        child ??= start();
        if (child.pid !== undefined) child.send(question); // one without has been refused, and emits `error`
      } catch (error) {
        resolve({ kind: 'error', reason: messageOf(error) });
      }
    });
  }

  /** Ends the process and its build; the last good output stays. */
  async function close(): Promise<void> {
    closed = true;
    const ending = child;
    if (ending?.pid === undefined) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGTERM');
    await within(CLOSE_MS, exited, () => ending.kill('SIGKILL'));
    await exited;
  }

  return {
    /** Builds the site; see `SiteBuild.build`. */
    build: (wish: BuildWish): Promise<BuildAnswer> => ask({ kind: 'build', ...wish }),
    /** Asks the generator for the addresses of existing posts; see `existingAddresses`. */
    addresses: (): Promise<AddressAnswer | BuildError> => ask({ kind: 'addresses' }),
    /** Builds a copy of the site with an article that is not stored; see `buildPreview`. */
    preview: (draft: StoredDraft, base: string): Promise<PreviewPage | BuildError> =>
      ask({ kind: 'preview', draft, base }),
    close,
  };
}

/** Writes a line from the process to the log. */
function write({ line }: LoggedLine, log: Log): void {
  const { level, msg, time: _, ...details } = JSON.parse(line);
  log[level < 50 ? 'warn' : 'error'](details, msg);
}
