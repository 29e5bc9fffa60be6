import { Command } from 'commander';
import { initSite } from '../app/init.js';
import { loadSettings } from '../config/load.js';
import { example, withDir } from './options.js';

/** `pressmark init`: makes a folder a Pressmark site. */
export function initCommand(): Command {
  return withDir(new Command('init'))
    .description('write a config, a secret in .env and .gitignore lines; nothing is overwritten')
    .option('--site-url <url>', 'the site’s public address')
    .addHelpText('after', example('pressmark init --site-url https://example.com'))
    .action(async ({ dir, siteUrl }: { dir: string; siteUrl?: string }) => {
      const { done, left } = initSite(dir, siteUrl);
      for (const line of done) console.log(`+ ${line}`);
      for (const line of left) console.log(`= ${line}`);
      const settings = await loadSettings(dir);
      console.log(`
Next:
  1. ${settings.siteUrlIsGuess ? 'Set siteUrl in pressmark.config.mjs.' : `The site’s address is ${settings.siteUrl}.`}
  2. Give the service PRESSMARK_SECRET from .env, and the URL of this receiver: https://<your host>${settings.endpoint}
  3. npx pressmark start`);
    });
}
