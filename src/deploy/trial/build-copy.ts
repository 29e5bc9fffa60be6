import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import type { Generator } from '../../generators/generator.js';
import { npmScripts } from '../../generators/package-json.js';
import { type BuildResult, type RunBuild, withoutGitVariables } from '../build/run-build.js';
import type { SiteCopy } from '../site-copy.js';

/** Set for the builds of copies, so that what Pressmark does within a build leaves them alone. */
export const TRIAL_VARIABLE = 'PRESSMARK_TRIAL_BUILD';

/** How a copy of a site is built. */
export interface CopyBuild {
  readonly command: string;
  /** The output folder, relative to the site's. */
  readonly output: string;
  readonly generator: Pick<Generator, 'outputFlags'>;
  readonly env: NodeJS.Dict<string>;
  readonly runBuild: RunBuild;
  /** How long the build may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Builds a copy of a site anew, into the output folder of the copy. A build that fails is a result and not an error. */
export async function buildCopy(copy: Pick<SiteCopy, 'dir'>, build: CopyBuild): Promise<BuildResult> {
  const { command, generator, env, timeoutMs, signal } = build;
  const output = join(copy.dir, build.output);
  fs.rmSync(output, { recursive: true, force: true });
  const flags = generator.outputFlags(
    command,
    output,
    npmScripts({ read: (path) => textOf(join(copy.dir, path)) }),
  );
  return await build.runBuild({
    command: flags === '' ? command : `${command} ${flags}`,
    cwd: copy.dir,
    env: withoutGitVariables(env),
    variables: { [TRIAL_VARIABLE]: '1' },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal !== undefined && { signal }),
  });
}

function textOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
