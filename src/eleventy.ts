import { runPostbuild } from './app/build/postbuild.js';
import { messageOf, PressmarkError } from './errors.js';

/** The part of Eleventy's configuration object that the plugin uses. */
export interface EleventyConfig {
  on(event: 'eleventy.after', listener: (build: EleventyBuild) => Promise<void>): unknown;
}

/** What Eleventy says about a finished build. */
export interface EleventyBuild {
  readonly directories: { readonly output: string };
  readonly runMode: 'build' | 'serve' | 'watch';
  /** `fs`, or a form in which nothing is written, such as `json`. */
  readonly outputMode: string;
  readonly results: readonly unknown[];
}

/**
 * The plugin for Eleventy: after each build it does what `pressmark postbuild` does.
 *
 *     import pressmark from 'pressmark/eleventy';
 *     eleventyConfig.addPlugin(pressmark);
 *
 * It works in Eleventy's working folder, which must be the site's. A build in which an article's page is missing
 * fails; `--serve` and `--watch` print what is missing and go on.
 */
export default function pressmark(eleventyConfig: EleventyConfig): void {
  eleventyConfig.on('eleventy.after', (build) =>
    afterBuild(build, runPostbuild, (line) => process.stderr.write(`[pressmark] ${line}\n`)),
  );
}

/**
 * Checks and completes what one build has written.
 *
 * @throws PressmarkError POSTBUILD_FAILED if an article's page is missing, and errors of `postbuild`; both only in
 *   builds that end.
 */
export async function afterBuild(
  { directories, runMode, outputMode, results }: EleventyBuild,
  postbuild: typeof runPostbuild,
  print: (line: string) => void,
): Promise<void> {
  // Without results nothing was written (`--dryrun`), and there is nothing to complete.
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
