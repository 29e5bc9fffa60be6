import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { readableEnd, runShellCommand, shellFailure } from '../run-shell-command.js';
import type { DeployTarget } from './target.js';
import { inProcess } from './target-process.js';

export interface CommandOptions {
  /** A shell command, such as `wrangler pages deploy public`. */
  readonly command: string;
  /** The site's folder, where the command runs. */
  readonly cwd: string;
  readonly env: NodeJS.Dict<string>;
  /** The folder of the listing of deployed files, absolute; it must exist. */
  readonly notesDir: string;
  /** The time limit, in milliseconds. */
  readonly timeoutMs: number;
}

const PROCESS = new URL('./changed-files-process.js', import.meta.url);

/**
 * Deploys by a command, such as the CLI of a host. Its environment has
 *
 * - `PRESSMARK_OUTPUT`: the output folder, absolute;
 * - `PRESSMARK_CHANGED_FILE`: a file with the names of the files that were written or removed since the command last succeeded,
 *   one per line; the names of all files if that is unknown.
 */
export function commandTarget(options: CommandOptions): DeployTarget {
  const { command, cwd, env, notesDir, timeoutMs } = options;
  const note = (name: string) => join(notesDir, `command-${hash('sha256', command).slice(0, 16)}-${name}`);
  const deployed = note('deployed.json');
  const next = note('next.json');
  const changed = note('changed.txt');
  return {
    name: `command ${command}`,
    async deploy({ folder, onPrinted }, signal) {
      // Listed before the command starts, so that changes meanwhile are in the next list.
      await inProcess(PROCESS, [folder, deployed, next, changed], signal).catch((error: unknown) => {
        signal.throwIfAborted();
        const reason = `the changed files could not be listed: ${messageOf(error)}`;
        throw new PressmarkError('DEPLOY_FAILED', reason, { cause: error });
      });
      const variables = { PRESSMARK_OUTPUT: folder, PRESSMARK_CHANGED_FILE: changed };
      const result = await runShellCommand({
        command,
        cwd,
        env,
        variables,
        timeoutMs,
        signal,
        background: true,
      });
      signal.throwIfAborted();
      if (result.kind !== 'succeeded')
        throw new PressmarkError('DEPLOY_FAILED', shellFailure('deploy command', command, result));
      fs.renameSync(next, deployed);
      onPrinted?.(readableEnd(result.output));
    },
  };
}
