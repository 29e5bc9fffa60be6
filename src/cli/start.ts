import { Command } from 'commander';
import { guardAgainstPlugins, startApp } from '../app/app.js';
import { cloneSite } from '../app/init/clone-site.js';
import { createSecret } from '../app/init/env-file.js';
import { addIgnoreLines } from '../app/init/ignore-lines.js';
import { originOf } from '../app/running-receivers.js';
import { tryPort } from '../app/server/server.js';
import { exampleWarning, isExampleUrl, refuseUnknownAddress } from '../app/site-address.js';
import { processEnvironment } from '../config/environment.js';
import { type Flags, loadSettings } from '../config/load.js';
import { createLog } from '../log.js';
import { example, flagsOf, withDir, withPort } from './options.js';
import { stopOnSignals } from './signals.js';
import { paint, print, printable } from './terminal.js';
import { startAndWatch } from './watch.js';

interface StartFlags extends Flags {
  readonly dir: string;
  readonly live?: boolean;
  readonly preview?: boolean;
  readonly clone?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** `pressmark start`: runs the receiver. */
export function startCommand(): Command {
  return withPort(withDir(new Command('start')))
    .option('--host <address>', 'the address to listen on (default: all)')
    .option('--preview', 'try a site without siteUrl; articles keep this machine’s address')
    .option('--clone <remote>', 'clone the site into an empty folder first')
    .option('--live', 'reload browsers after changes (default: on a terminal)')
    .option('--no-live', 'do not reload browsers')
    .option('--watch', 'restart when a plugin or the config changes')
    .option('--json', 'print log lines as JSON, even on a terminal')
    .addHelpText('after', example('pressmark start --port 8787'))
    .action(start);
}

async function start({
  dir,
  live,
  preview = false,
  clone,
  watch,
  json,
  ...options
}: StartFlags): Promise<void> {
  const flags = flagsOf(options);
  if (watch) return startAndWatch(dir);
  if (clone !== undefined) await cloneSite(clone, dir, processEnvironment());
  const terminal = process.stdout.isTTY === true && !json;
  const given = await loadSettings(dir, flags);
  const log = createLog({ level: given.logLevel, terminal });
  const warn = (text: string) =>
    terminal ? print(`${paint('yellow', '!')} ${printable(text)}`) : log.warn(text);
  // Checked before a secret is written.
  refuseUnknownAddress(given, { preview });
  const port = await tryPort(given.port, given.host);
  if (given.secrets.length === 0) {
    addIgnoreLines(dir, ['.env']); // first, as the next start would not add it
    createSecret(dir);
    warn(
      'there was no signing secret; a random one is now PRESSMARK_SECRET in .env: give it to the service, or put the service’s own there',
    );
  }
  // Load again with the new secret and the port that the system chose, which is part of a preview's addresses.
  const settings = await loadSettings(dir, preview ? { ...flags, port } : flags);
  if (preview)
    warn(
      `this is a preview: articles that arrive now keep the address ${settings.siteUrl}; before you set siteUrl, delete their files or give them another address with pressmark move`,
    );
  else if (isExampleUrl(settings.siteUrl)) warn(exampleWarning(settings.siteUrl));
  const guard = guardAgainstPlugins(log);
  const app = await startApp(settings, log, { terminal, live: live ?? terminal, preview });
  const origin = originOf({ host: settings.host, port: app.port });
  const site = `${origin}${app.basePath}/`;
  if (terminal) print(`Webhook  ${origin}${settings.endpoint}\nSite     ${site}\nStop with Ctrl-C`);
  else log.info({ port: app.port, endpoint: settings.endpoint, site }, 'ready');
  stopOnSignals(app, log, guard);
}
