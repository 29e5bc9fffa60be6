import { resolve } from 'node:path';
import { Command } from 'commander';
import { CLOCK } from '../../sender/clock.js';
import { refresh } from '../../sender/refresh.js';
import { example } from '../options.js';
import { printJson } from '../terminal.js';
import { openSending, standingOf, withConnector, withSenderDir } from './sending.js';

interface RefreshOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `pressmark refresh`: replaces a published article in place. */
export function refreshCommand(): Command {
  return withConnector(withSenderDir(new Command('refresh')))
    .description('replace a published article at its own URL, unless somebody has changed it')
    .argument('<url>', 'the article’s public URL')
    .argument('<file>', 'the Markdown file that replaces it')
    .option('--force', 'replace the article also where it is not what was delivered last from here')
    .option('--json', 'print what became of it as JSON')
    .addHelpText('after', example('pressmark refresh https://example.com/articles/bees/ posts/bees.md'))
    .action(async (url: string, file: string, { dir, connector: name, force, json }: RefreshOptions) => {
      const { state, connector, queue } = openSending(dir, name);
      try {
        const path = resolve(file);
        const entry = await refresh({ state, queue, connector, url, path, clock: CLOCK, force });
        const { status, lastStatusCode, lastError, nextRetryAt, payload } = entry.record;
        const revision = payload.data.revision_id;
        if (json)
          printJson({
            delivery: entry.id,
            url,
            revision,
            status,
            lastStatusCode,
            lastError,
            nextRetryAt,
          });
        else console.log(standingOf(entry));
        if (!json && status === 'failed' && lastStatusCode === 409)
          console.log(
            'The article has changed since it was looked up, and stays as it is. The same command shows what it is now.',
          );
        if (status !== 'success') process.exitCode = 1;
      } finally {
        queue.close();
      }
    });
}
