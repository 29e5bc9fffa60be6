import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../../child-environment.js';
import type { BuildAnswer } from '../../deploy/build-plugin.js';
import { messageOf } from '../../errors.js';
import type { PreviewPage, StoredDraft } from '../../host/admin/preview-service.js';
import { within } from '../../time-limit.js';

/** What the receiver tells the process that builds its site. */
export type BuildMessage =
  | { readonly kind: 'build'; readonly lastStateChange: number }
  | { readonly kind: 'addresses' }
  | { readonly kind: 'preview'; readonly draft: StoredDraft; readonly files: string }
  | { readonly kind: 'cancel' };

/** How many addresses of existing posts are known. */
export interface AddressAnswer {
  readonly kind: 'addresses';
  /** Whether the generator was asked. */
  readonly asked: boolean;
  readonly listed: number;
  readonly unlisted: number;
  readonly contradiction?: string;
}

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
    const { signal } = done;
    try {
      const answered = once(process, 'message', { signal }).then(([answer]) => answer as Answer);
      const ended = once(process, 'exit', { signal }).then(([code, name]): BuildError => {
        const said = printed.trim() === '' ? '' : `: ${printed.trim()}`;
        return { kind: 'error', reason: `the process that builds ended with ${name ?? code}${said}` };
      });
      process.send(question);
      return await Promise.race([answered, ended]);
    } catch (error) {
      return { kind: 'error', reason: messageOf(error) };
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
