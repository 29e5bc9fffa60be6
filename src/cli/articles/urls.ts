import { Command } from 'commander';
import { listArticles } from '../../app/articles/article-list.js';
import { existingAddresses } from '../../app/build/addresses/addresses.js';
import { loadSite } from '../../app/site-address.js';
import { example, withDir } from '../options.js';
import { interruptSignal } from '../signals.js';
import { print, printable, printJson, tell } from '../terminal.js';

/** The output for one file. */
interface Row {
  readonly file: string;
  readonly url: string | null;
  readonly address: 'pinned' | 'listed' | 'unknown';
  readonly reason: string | null;
}

/** `pressmark urls`: lists files and their URLs. */
export function urlsCommand(): Command {
  return withDir(new Command('urls'))
    .option('--force', 'ask the generator even if nothing has changed')
    .option('--json', 'print the URLs as JSON')
    .addHelpText('after', example('pressmark urls'))
    .action(async ({ dir, json, force }: { dir: string; json?: boolean; force?: boolean }) => {
      const settings = await loadSite(dir);
      const { unlisted, contradiction } = await existingAddresses(settings, {
        signal: interruptSignal(),
        ...(force !== undefined && { force }),
      });
      const rows = listArticles(settings).map((article): Row => {
        const { file, path } = article;
        if (article.kind === 'unreadable')
          return {
            file,
            url: null,
            address: 'unknown',
            reason: `${unlisted.get(path) ?? 'unreadable'}: ${article.reason}`,
          };
        const { url, address, reason } = article;
        if (address !== 'unknown') return { file, url, address, reason: null };
        return { file, url: null, address, reason: unlisted.get(path) ?? reason ?? 'not listed' };
      });
      if (contradiction !== undefined) tell(`warning: ${printable(contradiction)}`);
      if (json) printJson(rows, 2);
      else if (rows.length === 0) print('no articles yet');
      else for (const row of rows) print(lineOf(row));
    });
}

function lineOf({ file, url, reason }: Row): string {
  return `${printable(file)} → ${url === null ? `(${printable(reason ?? '')})` : printable(url)}`;
}
