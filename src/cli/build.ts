import { Command, Option } from 'commander';
import { refuseAddressChange } from '../app/articles/stored-urls.js';
import type { EarlyThread } from '../app/builder/early-thread.js';
import { refuseForeignOutput } from '../app/builder/foreign-output.js';
import type { SiteBuilder } from '../app/builder/site-builder.js';
import { startRenderThreadEarly } from '../app/builder/start-render-thread.js';
import { loadSettings, type Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { createLog } from '../log.js';
import { example, withDir } from './options.js';
import { type Progress, progressBar } from './progress.js';
import { printJson } from './terminal.js';

/** Differences that a person is shown; a script gets all of them. */
const MOST_SHOWN = 20;

interface BuildOptions {
  readonly dir: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly clean?: boolean;
}

/** `pressmark build`: the whole site, once. */
export function buildCommand(): Command {
  return withDir(new Command('build'))
    .description(
      'build the whole site once: with its own generator, or by Pressmark, which only writes files that differ',
    )
    .option('--json', 'print the summary as JSON')
    .option(
      '--clean',
      'make every file anew, write those that differ, and remove whatever Pressmark wrote and would not write today',
    )
    .addOption(
      new Option('--check', 'write nothing; exit 1 if the output is not what a clean build gives').conflicts(
        'clean',
      ),
    )
    .addHelpText('after', example('pressmark build'))
    .action(run);
}

async function run(options: BuildOptions): Promise<void> {
  const settings = await loadSettings(options.dir);
  refuseAddressChange(settings);
  if (settings.generator !== 'plain') {
    if (options.check || options.clean)
      throw new PressmarkError(
        'USAGE',
        `--${options.check ? 'check' : 'clean'} is for sites that Pressmark builds itself; this one has a generator in the config`,
      );
    await (await import('./generator-build.js')).buildGeneratorSite(settings, options);
    return;
  }
  if (settings.site === false)
    throw new PressmarkError('USAGE', 'site is false in the config: another generator builds this site');
  refuseForeignOutput(settings);
  const early = options.check ? undefined : startRenderThreadEarly(settings);
  try {
    await build(settings, options, early);
  } finally {
    await early?.close(); // the builder may have failed before it had any use for it
  }
}

async function build(
  settings: Settings,
  { json = false, check = false, clean = false }: BuildOptions,
  early: EarlyThread | undefined,
): Promise<void> {
  // Standard output is for the summary alone.
  const log = createLog({ level: 'warn', terminal: process.stderr.isTTY === true, fd: 2, atOnce: true });
  // Loaded while the helper is.
  const [{ openSiteBuilder }, { openSearch }] = await Promise.all([
    import('../app/builder/site-builder.js'),
    import('../app/builder/open-search.js'),
  ]);
  const { builder, close } = await openSiteBuilder(settings, settings.plugins, log, early);
  const progress = progressBar({
    isTTY: process.stderr.isTTY === true,
    write: (text) => process.stderr.write(text),
  });
  try {
    if (check) {
      await checkOutput(builder, progress, { json, output: settings.output });
      return;
    }
    const report = await builder.buildAll({ force: true, clean, onProgress: progress.step });
    progress.end();
    const index = await openSearch(() => settings, builder.newestPages, log).index();
    const { files: _, ...counts } = report;
    const { pages, bytes, written, removed, failed, ms } = counts;
    if (json) printJson(counts);
    else
      console.log(
        `${pages} pages (${size(bytes)}) built in ${seconds(ms)}: ${written} written, ${removed} removed, ${failed} failed → ${settings.output}/`,
      );
    if (failed > 0 || index?.kind === 'failed') process.exitCode = 1;
  } finally {
    progress.end();
    await close();
  }
}

async function checkOutput(
  builder: SiteBuilder['builder'],
  progress: Progress,
  { json, output }: { json: boolean; output: string },
): Promise<void> {
  const differences = await builder.check(progress.step);
  progress.end();
  if (differences.length > 0) process.exitCode = 1;
  if (json) {
    printJson({ differences });
  } else if (differences.length === 0) {
    console.log(`${output}/ is what a clean build gives`);
  } else {
    for (const { file, is } of differences.slice(0, MOST_SHOWN)) console.log(`${is}: ${output}/${file}`);
    if (differences.length > MOST_SHOWN) console.log(`and ${differences.length - MOST_SHOWN} more`);
    console.log(`${output}/ is not what a clean build gives; run pressmark build`);
  }
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
