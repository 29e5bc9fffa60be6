import { Command } from 'commander';
import { revert } from '../../app/articles/revert.js';
import { loadSite } from '../../app/site-address.js';
import { example, withDir } from '../options.js';
import { print, printable, printJson, warningLog } from '../terminal.js';

/** `pressmark revert`: restores an earlier version of an article as a new revision. */
export function revertCommand(): Command {
  return withDir(new Command('revert'))
    .argument('<article>', 'its id, slug, URL or file')
    .argument('<revision>', 'a revision or a commit')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', example('pressmark revert why-the-answer-comes-last rev-0b5c5b1a6a0c4f1d2e3f4a5b'))
    .action(async (name: string, revision: string, { dir, json }: { dir: string; json?: boolean }) => {
      const done = await revert(await loadSite(dir), name, revision, warningLog());
      if (json) {
        printJson(done, 2);
        return;
      }
      const commit =
        done.commit === null
          ? 'not committed yet; pressmark doctor says why'
          : `commit ${done.commit.slice(0, 10)}`;
      print(printable(`${done.file} has the content of ${done.to.revision} (${done.to.date}) again`));
      print(printable(`it was at ${done.from} and is at ${done.revision} now, ${commit}`));
    });
}
