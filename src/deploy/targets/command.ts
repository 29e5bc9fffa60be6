import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { type RunBuild, runFailure } from '../build/run-build.js';
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

/** The list of changed files in an environment variable may have this many bytes; Linux allows 131,072. */
const MOST_LISTED_BYTES = 100_000;

/**
 * A command, such as the CLI of a host. Its environment has
 *
 * - `PRESSMARK_OUTPUT`: the output folder, absolute;
 * - `PRESSMARK_CHANGED_FILE`: a file with the names of the changed files, one in a line; not set where they are not known;
 * - `PRESSMARK_CHANGED`: the same list, where it is short.
 */
export function commandTarget(options: CommandOptions): DeployTarget {
  const { command, cwd, env, stateDir, timeoutMs, runBuild } = options;
  return {
    name: `command ${command}`,
    async deploy({ folder, changed }, signal) {
      const variables: Record<string, string> = { PRESSMARK_OUTPUT: folder };
      if (changed !== undefined) {
        const list = [...changed].toSorted().join('\n');
        const path = join(stateDir, `changed-files-${hash('sha256', command).slice(0, 16)}.txt`);
        fs.writeFileSync(path, `${list}\n`);
        variables.PRESSMARK_CHANGED_FILE = path;
        if (Buffer.byteLength(list) <= MOST_LISTED_BYTES) variables.PRESSMARK_CHANGED = list;
      }
      const result = await runBuild({ command, cwd, env, variables, timeoutMs, signal, background: true });
      signal.throwIfAborted();
      if (result.kind !== 'built')
        throw new PressmarkError('DEPLOY_FAILED', runFailure('deploy', command, result));
    },
  };
}
