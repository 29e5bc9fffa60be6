import { runPostbuild } from './app/build/postbuild.js';
import { messageOf, PressmarkError } from './errors.js';

/** The part of Eleventy's configuration object that the plugin uses. */
export interface EleventyConfig {
  on(event: 'eleventy.after', listener: (build: EleventyBuild) => Promise<void>): unknown;
}

/** The event of a finished build. */
export interface EleventyBuild {
  readonly directories: { readonly output: string };
  readonly runMode: 'build' | 'serve' | 'watch';
  /** `fs`, or a mode that writes nothing, such as `json`. */
  readonly outputMode: string;
  readonly results: readonly unknown[];
}

/**
 * The plugin for Eleventy: it runs `pressmark postbuild` after each build.
 *
 *     import pressmark from 'pressmark/eleventy';
 *     eleventyConfig.addPlugin(pressmark);
 *
 * Eleventy must run in the site's folder. A build fails if an article's page is missing; `--serve` and `--watch` only print the
 * missing pages.
 */
export default function pressmark(eleventyConfig: EleventyConfig): void {
  eleventyConfig.on('eleventy.after', (build) =>
    afterBuild(build, runPostbuild, (line) => process.stderr.write(`[pressmark] ${line}\n`)),
  );
}

/**
 * Checks and completes the pages of one build.
 *
 * @throws PressmarkError POSTBUILD_FAILED if an article's page is missing, and errors of `postbuild`; both only without
 *   `--serve` and `--watch`.
 */
export async function afterBuild(
  { directories, runMode, outputMode, results }: EleventyBuild,
  postbuild: typeof runPostbuild,
  print: (line: string) => void,
): Promise<void> {
  // No results: nothing was written (`--dryrun`).
  if (outputMode !== 'fs' || results.length === 0) return;
  try {
    const { missing, warnings } = await postbuild(process.cwd(), directories.output);
    for (const warning of warnings) print(warning);
    if (missing.length > 0) throw new PressmarkError('POSTBUILD_FAILED', missingPages(missing));
  } catch (error) {
    if (runMode === 'build') throw error;
    print(messageOf(error));
  }
}

function missingPages(missing: readonly string[]): string {
  return ['The built site lacks what its articles need:', ...missing.map((one) => `  ${one}`)].join('\n');
}
