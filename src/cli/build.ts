import { Command } from 'commander';
import { openSearch } from '../app/open-search.js';
import { buildsSite, openSiteBuilder } from '../app/site-builder.js';
import { loadSettings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { createLog } from '../log.js';
import { example, withDir } from './options.js';

/** `pressmark build`: the whole site, once. */
export function buildCommand(): Command {
  return withDir(new Command('build'))
    .description('build the whole site once; files are only written where they differ')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', example('pressmark build'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSettings(dir);
      if (!buildsSite(settings))
        throw new PressmarkError('USAGE', 'site is false in the config: another generator builds this site');
      // Standard output is for the summary alone.
      const log = createLog({ level: 'warn', terminal: process.stderr.isTTY === true, fd: 2, atOnce: true });
      const { builder, close } = await openSiteBuilder(settings, settings.plugins, log);
      const report = await builder.buildAll({ force: true });
      const search = openSearch(() => settings, log);
      const index = await search.index(builder.newestPages);
      await close();
      const { pages, written, removed, failed, ms } = report;
      if (json) console.log(JSON.stringify(report));
      else
        console.log(
          `${pages} pages built in ${Math.round(ms)} ms: ${written} written, ${removed} removed, ${failed} failed → ${settings.output}/`,
        );
      if (failed > 0 || index?.is === 'failed') process.exitCode = 1;
    });
}
