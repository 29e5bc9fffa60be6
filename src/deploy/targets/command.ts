import { PressmarkError } from '../../errors.js';
import { readableEnd, runBuild, runFailure } from '../build/run-build.js';
import type { DeployTarget } from './target.js';

export interface CommandOptions {
  /** A shell command, such as `wrangler pages deploy public`. */
  readonly command: string;
  /** The site's folder, in which it is run. */
  readonly cwd: string;
  readonly env: NodeJS.Dict<string>;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** A command, such as the CLI of a host. Its environment has `PRESSMARK_OUTPUT`: the output folder, absolute. */
export function commandTarget(options: CommandOptions): DeployTarget {
  const { command, cwd, env, timeoutMs } = options;
  return {
    name: `command ${command}`,
    async deploy({ folder, onPrinted }, signal) {
      const variables = { PRESSMARK_OUTPUT: folder };
      const result = await runBuild({ command, cwd, env, variables, timeoutMs, signal, background: true });
      signal.throwIfAborted();
      if (result.kind !== 'built')
        throw new PressmarkError('DEPLOY_FAILED', runFailure('deploy', command, result));
      onPrinted?.(readableEnd(result.output));
    },
  };
}
