import { Command } from 'commander';
import { startApp } from '../app/app.js';
import { cloneSite } from '../app/init/clone-site.js';
import { addIgnoreLines, createSecret } from '../app/init/secret.js';
import { type Flags, loadSettings, processEnvironment } from '../config/load.js';
import { collectGarbage, limitHeapGrowth } from '../heap.js';
import { createLog } from '../log.js';
import { example, withDir, withPort } from './options.js';
import { stopOnSignals } from './signals.js';

interface StartFlags extends Flags {
  readonly dir: string;
  readonly live?: boolean;
  readonly clone?: string;
}

/** How long after a start the memory is given back that the start has taken: what waits to be delivered comes first. */
const GARBAGE_AFTER_MS = 3_000;

/** `pressmark start`: the receiver. */
export function startCommand(): Command {
  return withPort(withDir(new Command('start')))
    .description('receive articles, commit them, build the site, and serve it for preview')
    .option('--host <address>', 'the address to listen on (default: all)')
    .option(
      '--clone <remote>',
      'clone the site first, where the folder is empty: for machines that keep no files',
    )
    .option(
      '--live',
      'reload pages in browsers on this machine when the site has changed (default: where start runs on a terminal)',
    )
    .option('--no-live', 'do not')
    .addHelpText('after', example('pressmark start --port 8787'))
    .action(async ({ dir, live, clone, ...flags }: StartFlags) => {
      if (clone !== undefined) await cloneSite(clone, dir, processEnvironment());
      let settings = await loadSettings(dir, flags);
      const terminal = process.stdout.isTTY === true;
      const log = createLog({ level: settings.logLevel, terminal });
      if (settings.secrets.length === 0) {
        createSecret(dir);
        addIgnoreLines(dir, ['.env']); // before anybody's `git add .` takes it along
        settings = await loadSettings(dir, flags);
        log.warn(
          'there was no signing secret; a random one is now PRESSMARK_SECRET in .env: give it to the service, or put the service’s own there',
        );
      }
      if (settings.siteUrlIsGuess) {
        log.warn(
          { siteUrl: settings.siteUrl },
          'siteUrl is not set; articles get this address for good. Set PRESSMARK_SITE_URL or siteUrl in the config',
        );
      }
      const reload = () => loadSettings(dir, flags);
      const app = await startApp(settings, log, { terminal, live: live ?? terminal, reload });
      limitHeapGrowth();
      setTimeout(collectGarbage, GARBAGE_AFTER_MS).unref();
      log.info(
        { port: app.port, endpoint: settings.endpoint, site: `http://localhost:${app.port}${app.basePath}/` },
        'ready',
      );
      stopOnSignals(app, log);
    });
}
