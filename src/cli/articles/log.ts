import { Command } from 'commander';
import { type ArticleHistory, articleHistory, isUncommitted } from '../../app/articles/article-history.js';
import { loadSettings } from '../../config/load.js';
import { example, withDir } from '../options.js';
import { aligned, paint, print, printable, printJson } from '../terminal.js';

/** `pressmark log`: the committed revisions of one article. */
export function logCommand(): Command {
  return withDir(new Command('log'))
    .argument('<article>', 'its id, slug, URL or file')
    .option('--json', 'print the revisions as JSON')
    .addHelpText('after', example('pressmark log why-the-answer-comes-last'))
    .action(async (name: string, { dir, json }: { dir: string; json?: boolean }) => {
      const history = await articleHistory(await loadSettings(dir), name);
      if (json) printJson(summaryOf(history), 2);
      else printHistory(history);
    });
}

function summaryOf(history: ArticleHistory) {
  const { entry, file, now, revisions } = history;
  return {
    id: entry.id,
    url: entry.url,
    file,
    title: now.stored.article.title,
    revision: now.stored.article.revision,
    committed: !isUncommitted(history),
    revisions: revisions.map(({ stored: _, ...shown }) => shown),
  };
}

function printHistory(history: ArticleHistory): void {
  const { entry, file, now, revisions } = history;
  const { title, revision } = now.stored.article;
  print(`${paint('bold', printable(title))}\n${printable(entry.url)}\n${printable(file)}\n`);
  const rows = revisions.map((row) => [
    `${row.current ? '*' : ' '} ${row.revision ?? '(none)'}`,
    row.date,
    row.author.name,
    row.subject,
  ]);
  if (isUncommitted(history)) rows.unshift([`* ${revision}`, 'not committed']);
  for (const line of aligned(rows)) print(line);
}
