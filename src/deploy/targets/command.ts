import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { readableEnd, runBuild, runFailure } from '../build/run-build.js';
import type { DeployTarget } from './target.js';
import { inProcess } from './target-process.js';

export interface CommandOptions {
  /** A shell command, such as `wrangler pages deploy public`. */
  readonly command: string;
  /** The site's folder, in which it is run. */
  readonly cwd: string;
  readonly env: NodeJS.Dict<string>;
  /** Where the target keeps the listing of what it deployed; a folder that is there, absolute. */
  readonly notesDir: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

const PROCESS = new URL('./changed-files-process.js', import.meta.url);

/**
 * A command, such as the CLI of a host. Its environment has
 *
 * - `PRESSMARK_OUTPUT`: the output folder, absolute;
 * - `PRESSMARK_CHANGED_FILE`: a file with the names of the files that were written or removed since the command last succeeded,
 *   one in a line; the names of all files where that is not known.
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
      // Listed before the command starts: what a build changes while it runs is then in the next list.
      await inProcess(PROCESS, [folder, deployed, next, changed], signal).catch((error: unknown) => {
        signal.throwIfAborted();
        const reason = `the changed files could not be listed: ${messageOf(error)}`;
        throw new PressmarkError('DEPLOY_FAILED', reason, { cause: error });
      });
      const variables = { PRESSMARK_OUTPUT: folder, PRESSMARK_CHANGED_FILE: changed };
      const result = await runBuild({ command, cwd, env, variables, timeoutMs, signal, background: true });
      signal.throwIfAborted();
      if (result.kind !== 'built')
        throw new PressmarkError('DEPLOY_FAILED', runFailure('deploy', command, result));
      fs.renameSync(next, deployed);
      onPrinted?.(readableEnd(result.output));
    },
  };
}
