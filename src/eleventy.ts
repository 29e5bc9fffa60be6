import { runPostbuild } from './app/postbuild.js';
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

/** A build of a scratch copy, by which Pressmark finds out the addresses of posts; its bodies are not those of articles. */
const isTrialBuild = () => process.env.PRESSMARK_TRIAL_BUILD !== undefined;

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
  eleventyConfig.on('eleventy.after', async ({ directories, runMode, outputMode, results }) => {
    // Without results nothing was written (`--dryrun`), and there is nothing to complete.
    if (outputMode !== 'fs' || results.length === 0 || isTrialBuild()) return;
    try {
      const { missing, warnings } = await runPostbuild(process.cwd(), directories.output);
      for (const warning of warnings) process.stderr.write(`[pressmark] ${warning}\n`);
      if (missing.length > 0) throw new PressmarkError('POSTBUILD_FAILED', missingPages(missing));
    } catch (error) {
      if (runMode === 'build') throw error;
      process.stderr.write(`[pressmark] ${messageOf(error)}\n`);
    }
  });
}

function missingPages(missing: readonly string[]): string {
  return ['The built site lacks what its articles need:', ...missing.map((one) => `  ${one}`)].join('\n');
}
