import { resolve } from 'node:path';
import { Command } from 'commander';
import { startApp } from '../app/app.js';
import { loadSettings } from '../config/load.js';
import { createLog } from '../log.js';

export function startCommand(): Command {
  return new Command('start')
    .option('--dir <site>', 'the site', '.')
    .option('--port <n>', 'port', Number)
    .option('--host <host>')
    .action(async (options: { dir: string; port?: number; host?: string }) => {
      const { dir, ...flags } = options;
      const settings = await loadSettings(resolve(dir), flags);
      const log = createLog({ level: settings.logLevel, terminal: process.stdout.isTTY === true });
      const app = await startApp(settings, log);
      log.info({ port: app.port, site: settings.siteUrl }, 'ready');
      const stop = async () => {
        await app.close();
        process.exit(0);
      };
      process.once('SIGTERM', stop).once('SIGINT', stop);
    });
}
