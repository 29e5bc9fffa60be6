import { type ChildProcess, fork } from 'node:child_process';
import { childEnvironment } from '../../child-environment.js';
import type { BuildAnswer } from '../../deploy/build-plugin.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import { within } from '../../time-limit.js';
import type { AddressAnswer, BuildMessage } from './build-message.js';

/** The process that builds a site, started when it is needed first. */
export interface BuildProcess {
  /** Builds the site; see `SiteBuild.build`. Never rejects; one build or preview at a time. */
  build(lastStateChange: number): Promise<BuildAnswer>;
  /** Asks the generator for the addresses of existing posts; see `existingAddresses`. Never rejects. */
  addresses(): Promise<AddressAnswer | BuildError>;
  /** Builds a copy of the site with an article that is not stored; see `PreviewBuild.build`. Never rejects. */
  preview(draft: StoredDraft, files: string): Promise<PreviewPage | BuildError>;
  /** Ends a build that runs early; the process goes on. */
  cancel(): void;
  /** Ends the process and the build that it runs; the output stays the last good one. */
  close(): Promise<void>;
}

type BuildError = Extract<BuildAnswer, { readonly kind: 'error' }>;

/** How much of what the process prints is kept for a message, in characters. */
const MOST_PRINTED = 2_000;

/** After this long a process that was asked to end is killed. */
const CLOSE_MS = 4_000;

/** @param dir the site's folder. */
export function createBuildProcess(dir: string, env: NodeJS.Dict<string>): BuildProcess {
  let child: ChildProcess | undefined;
  let closed = false;

  function started(): ChildProcess {
    if (child !== undefined) return child;
    const process = fork(new URL('./build-process.js', import.meta.url), [dir], {
      env: childEnvironment(env),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true, // Ctrl-C on the terminal is for the receiver to hand on
    });
    const forget = () => {
      if (child === process) child = undefined;
    };
    // A process that could not be started emits `error`, and no `exit`.
    process.once('exit', forget).once('error', forget);
    child = process;
    return process;
  }

  async function ask<Answer>(question: BuildMessage): Promise<Answer | BuildError> {
    if (closed) return { kind: 'error', reason: 'the receiver stops' };
    const process = started();
    let printed = '';
    const onPrinted = (chunk: Buffer) => {
      printed = `${printed}${chunk.toString('utf8')}`.slice(-MOST_PRINTED);
    };
    process.stderr?.on('data', onPrinted);
    const done = new AbortController();
    try {
      return await new Promise<Answer | BuildError>((resolve) => {
        const { signal } = done;
        const onMessage = (message: unknown) => resolve(message as Answer);
        const onExit = (code: number | null, name: string | null) => {
          const said = printed.trim() === '' ? '' : `: ${printed.trim()}`;
          resolve({ kind: 'error', reason: `the process that builds ended with ${name ?? code}${said}` });
        };
        const onError = (error: Error) => resolve({ kind: 'error', reason: error.message });
        process.once('message', onMessage).once('exit', onExit).once('error', onError);
        signal.addEventListener('abort', () => {
          process.off('message', onMessage).off('exit', onExit).off('error', onError);
        });
        process.send(question);
      });
    } finally {
      done.abort();
      process.stderr?.off('data', onPrinted);
    }
  }

  function cancel(): void {
    if (child?.connected === true) child.send({ kind: 'cancel' } satisfies BuildMessage);
  }

  async function close(): Promise<void> {
    closed = true;
    const process = child;
    if (process?.pid === undefined) return;
    const exited = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGTERM');
    await within(CLOSE_MS, exited, () => process.kill('SIGKILL'));
    await exited;
  }

  return {
    build: (lastStateChange) => ask<BuildAnswer>({ kind: 'build', lastStateChange }),
    addresses: () => ask<AddressAnswer>({ kind: 'addresses' }),
    preview: (draft, files) => ask<PreviewPage>({ kind: 'preview', draft, files }),
    cancel,
    close,
  };
}
