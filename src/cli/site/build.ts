import { Command } from 'commander';
import { readCatalog } from '../../app/articles/find-article.js';
import { refuseArticlesElsewhere } from '../../app/articles/stored-urls.js';
import { refuseNoSite } from '../../app/site-address.js';
import { loadSettings, type Settings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { example, withDir } from '../options.js';
import { print, printJson, progressLine, warningLog } from '../terminal.js';

/** How long to wait for another process that builds the site, in milliseconds. */
const LONGEST_WAIT_MS = 20_000;

/** The interval of progress output, in milliseconds. */
const SHOWN_EVERY_MS = 80;

interface BuildOptions {
  readonly dir: string;
  readonly json?: boolean;
}

/** `pressmark build`: builds the whole site once. */
export function buildCommand(): Command {
  return withDir(new Command('build'))
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', example('pressmark build'))
    .action(run);
}

async function run(options: BuildOptions): Promise<void> {
  const settings = await loadSettings(options.dir);
  refuseNoSite(settings);
  await refuseArticlesElsewhere(settings, (await readCatalog(settings)).entries());
  if (settings.generator !== 'plain') {
    await (await import('./generator-build.js')).buildGeneratorSite(settings, options);
    return;
  }
  if (settings.site === false)
    throw new PressmarkError('USAGE', 'site is false in the config: another generator builds this site');
  await build(settings, settings.site, options);
}

async function build(
  settings: Settings,
  site: Exclude<Settings['site'], false>,
  { json = false }: BuildOptions,
): Promise<void> {
  const log = warningLog();
  const { openSiteBuilder } = await import('../../app/builder/site-builder.js');
  const { searchOf } = await import('../../app/builder/start-builder.js');
  const { builder, close } = await openSiteBuilder(settings, settings.plugins, log, LONGEST_WAIT_MS);
  const progress = progressLine();
  let shownAt = 0;
  const onProgress = (done: number, of: number) => {
    if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
    shownAt = performance.now();
    progress.show(`${Math.floor((100 * done) / Math.max(1, of))} %  ${done}/${of} files`);
  };
  try {
    const report = await builder.build('all', { anew: 'all', onProgress });
    progress.clear();
    const search = searchOf(settings, site, async () => builder.pages(), log);
    const isIndexed = await search.index();
    await search.close();
    const { pages, bytes, written, removed, failed, failures, ms } = report;
    if (json) printJson({ pages, bytes, written, removed, failed, failures, ms });
    else
      print(
        `${pages} pages (${size(bytes)}) built in ${seconds(ms)}: ${written} written, ${removed} removed, ${failed} failed → ${settings.output}/`,
      );
    if (failed > 0 || !isIndexed) process.exitCode = 1;
  } finally {
    progress.clear();
    await close();
  }
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
