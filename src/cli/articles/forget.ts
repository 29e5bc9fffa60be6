import { Command } from 'commander';
import { forgetArticle } from '../../app/articles/forget.js';
import { loadSite } from '../../app/site-address.js';
import { example, withDir } from '../options.js';
import { print, printable, printJson, warningLog } from '../terminal.js';

/** `pressmark forget`: allows a deleted article to be published again. */
export function forgetCommand(): Command {
  return withDir(new Command('forget'))
    .argument('<id>', 'the article’s id at the service')
    .option('--json', 'print what was forgotten as JSON')
    .addHelpText('after', example('pressmark forget demo-2'))
    .action(async (name: string, { dir, json }: { dir: string; json?: boolean }) => {
      const { id, url } = await forgetArticle(await loadSite(dir), name, warningLog());
      if (json) printJson({ id, url });
      else print(printable(`${id} may be published again; it was at ${url}`));
    });
}
