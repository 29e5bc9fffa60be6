import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { childEnvironment } from '../../child-environment.js';
import type { BuildWish } from '../../deploy/build/build-site.js';
import type { BuildAnswer } from '../../deploy/build-plugin.js';
import { messageOf } from '../../errors.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import type { AddressAnswer, BuildMessage, LoggedLine } from './build-message.js';

/** The process that builds a site. */
export type BuildProcess = ReturnType<typeof createBuildProcess>;

type Message = { readonly kind: string } | LoggedLine;

type BuildError = Extract<BuildAnswer, { readonly kind: 'error' }>;

/** How much of what the process prints is kept for a message, in characters. */
const MOST_PRINTED = 2_000;

/** After this long a process that was asked to end is killed. */
const CLOSE_MS = 4_000;

/**
 * The process that builds a site, started when it is needed first. Its answers never reject; it does one thing at a time.
 *
 * @param dir the site's folder.
 * @param log gets what plugins in it do that they must not.
 */
export function createBuildProcess(dir: string, env: NodeJS.Dict<string>, log?: Log) {
  let child: ChildProcess | undefined;
  let closed = false;

  function startIfNeeded(): ChildProcess {
    if (child !== undefined) return child;
    const started = fork(new URL('./build-process.js', import.meta.url), [dir], {
      env: childEnvironment(env),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    });
    const forget = () => {
      if (child === started) child = undefined;
    };
    // A process that could not be started emits `error`, and no `exit`.
    started.once('exit', forget).once('error', forget);
    if (log !== undefined) started.on('message', (message: Message) => write(message, log));
    child = started;
    return started;
  }

  async function ask<Answer>(question: BuildMessage): Promise<Answer | BuildError> {
    if (closed) return { kind: 'error', reason: 'the receiver stops' };
    const asked = startIfNeeded();
    let printed = '';
    const onPrinted = (chunk: Buffer) => {
      printed = `${printed}${chunk.toString('utf8')}`.slice(-MOST_PRINTED);
    };
    asked.stderr?.on('data', onPrinted);
    const done = new AbortController();
    const { signal } = done;
    try {
      const answered = answerOf<Answer>(asked, signal);
      const ended = once(asked, 'exit', { signal }).then(([code, name]): BuildError => {
        const said = printed.trim() === '' ? '' : `: ${printed.trim()}`;
        return { kind: 'error', reason: `the process that builds ended with ${name ?? code}${said}` };
      });
      asked.send(question);
      return await Promise.race([answered, ended]);
    } catch (error) {
      return { kind: 'error', reason: messageOf(error) };
    } finally {
      done.abort();
      asked.stderr?.off('data', onPrinted);
    }
  }

  /** Ends the process and the build that it runs; the output stays the last good one. */
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
    /** Builds a copy of the site with an article that is not stored; see `createPreviewBuild`. */
    preview: (draft: StoredDraft, files: string): Promise<PreviewPage | BuildError> =>
      ask({ kind: 'preview', draft, files }),
    close,
  };
}

/** The next answer of the process. */
async function answerOf<Answer>(process: ChildProcess, signal: AbortSignal): Promise<Answer> {
  for await (const [message] of on(process, 'message', { signal }))
    if ((message as Message).kind !== 'logged') return message as Answer; // to what it was asked
  throw new Error('the process has not answered');
}

/** Writes a line that the process has handed over. */
function write(message: Message, log: Log): void {
  if (!('line' in message)) return;
  const { level, msg, time: _, ...details } = JSON.parse(message.line);
  log[level < 50 ? 'warn' : 'error'](details, msg);
}
