import { Command } from 'commander';
import { type ArticleHistory, articleHistory, isUncommitted } from '../../app/articles/history.js';
import { loadSite } from '../../app/site-address.js';
import { example, withDir } from '../options.js';
import { aligned, paint, print, printable, printJson } from '../terminal.js';

/** `pressmark log`: lists the revisions of one article. */
export function logCommand(): Command {
  return withDir(new Command('log'))
    .argument('<article>', 'its id, slug, URL or file')
    .option('--json', 'print the revisions as JSON')
    .addHelpText('after', example('pressmark log why-the-answer-comes-last'))
    .action(async (name: string, { dir, json }: { dir: string; json?: boolean }) => {
      const history = await articleHistory(await loadSite(dir), name);
      if (json) printJson(summaryOf(history), 2);
      else printHistory(history);
    });
}

function summaryOf(history: ArticleHistory) {
  const { file, now, versions } = history;
  const { id, url, title, revision } = now.article;
  const revisions = versions.map(({ stored: _, ...shown }) => shown);
  return { id, url, file, title, revision, committed: !isUncommitted(history), revisions };
}

function printHistory({ file, now, versions }: ArticleHistory): void {
  const { title, url } = now.article;
  print(`${paint('bold', printable(title))}\n${printable(url)}\n${printable(file)}\n`);
  const rows = versions.map(({ current, revision, date, author, subject }) => [
    `${current ? '*' : ' '} ${revision ?? '(none)'}`,
    date ?? 'not committed',
    author?.name ?? '',
    subject,
  ]);
  for (const line of aligned(rows)) print(line);
}
