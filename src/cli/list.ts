import { Command } from 'commander';
import { lastAuthors, listArticles } from '../app/articles/article-list.js';
import { loadSettings } from '../config/load.js';
import { example, withDir } from './options.js';
import { paint, printable, printJson } from './terminal.js';

/** `pressmark list`: every article. */
export function listCommand(): Command {
  return withDir(new Command('list'))
    .description('list all articles: URL, id, revision, file, last author')
    .option('--json', 'print the articles as JSON')
    .addHelpText('after', example('pressmark list --json'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSettings(dir);
      const articles = listArticles(settings);
      const authors = await lastAuthors(
        settings,
        articles.map(({ file }) => file),
      );
      if (json) {
        const rows = articles.map(({ path: _, ...article }) => ({
          ...article,
          lastAuthor: authors.get(article.file) ?? null,
        }));
        printJson(rows, 2);
        return;
      }
      for (const article of articles) {
        const author = authors.get(article.file)?.name ?? 'not committed';
        if (article.kind === 'unreadable')
          console.log(
            `${paint('red', 'unreadable')}  ${printable(`${article.reason}  ${article.file}  ${author}`)}`,
          );
        else {
          const { address, url, id, revision, file, reason } = article;
          const certain = reason === undefined ? address : `${address}: ${reason}`;
          console.log(printable(`${url} (${certain})  ${id}  ${revision}  ${file}  ${author}`));
        }
      }
    });
}
