import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { type RunBuild, readableEnd, runFailure } from '../build/run-build.js';
import type { DeployTarget } from './target.js';

export interface CommandOptions {
  /** A shell command, such as `wrangler pages deploy public`. */
  readonly command: string;
  /** The site's folder, in which it is run. */
  readonly cwd: string;
  readonly env: NodeJS.Dict<string>;
  readonly stateDir: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly runBuild: RunBuild;
}

/**
 * A command, such as the CLI of a host. Its environment has
 *
 * - `PRESSMARK_OUTPUT`: the output folder, absolute;
 * - `PRESSMARK_CHANGED_FILE`: a file with the names of the changed files, one in a line; not set where they are not known.
 */
export function commandTarget(options: CommandOptions): DeployTarget {
  const { command, cwd, env, stateDir, timeoutMs, runBuild } = options;
  return {
    name: `command ${command}`,
    async deploy({ folder, changed, onPrinted }, signal) {
      const variables: Record<string, string> = { PRESSMARK_OUTPUT: folder };
      if (changed !== undefined) {
        const path = join(stateDir, `changed-files-${hash('sha256', command).slice(0, 16)}.txt`);
        fs.writeFileSync(path, `${[...changed].toSorted().join('\n')}\n`);
        variables.PRESSMARK_CHANGED_FILE = path;
      }
      const result = await runBuild({ command, cwd, env, variables, timeoutMs, signal, background: true });
      signal.throwIfAborted();
      if (result.kind !== 'built')
        throw new PressmarkError('DEPLOY_FAILED', runFailure('deploy', command, result));
      onPrinted?.(readableEnd(result.output));
    },
  };
}
