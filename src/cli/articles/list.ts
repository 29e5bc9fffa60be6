import { Command } from 'commander';
import {
  type ArticleFile,
  articlesInReview,
  lastAuthors,
  listArticles,
} from '../../app/articles/article-list.js';
import { loadSite } from '../../app/site-address.js';
import { notedFacts } from '../../app/status.js';
import { example, withDir } from '../options.js';
import { aligned, paint, print, printJson } from '../terminal.js';

/** `pressmark list`: lists all articles. */
export function listCommand(): Command {
  return withDir(new Command('list'))
    .option('--json', 'print the articles as JSON')
    .addHelpText('after', example('pressmark list --json'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSite(dir);
      const articles = listArticles(settings);
      const authors = await lastAuthors(
        settings,
        articles.map(({ file }) => file),
      );
      const awaited = new Set(notedFacts(settings).facts.awaited.map(({ path }) => path));
      const inReview = await articlesInReview(settings);
      if (json) {
        const rows = articles.map(({ path: _, ...article }) => ({
          ...article,
          lastAuthor: authors.get(article.file) ?? null,
          isAwaited: awaited.has(article.file),
          ...(inReview !== undefined && { inReview: inReview.has(article.file) }),
        }));
        printJson(rows, 2);
        return;
      }
      if (articles.length === 0) {
        print('no articles yet');
        return;
      }
      const authorOf = ({ file }: ArticleFile) => authors.get(file)?.name ?? 'not committed';
      const [header = '', ...lines] = aligned([
        ['date', 'title', 'last author', 'URL', 'file'],
        ...articles.map((article) =>
          rowOf(article, authorOf(article), [
            ...stateNotes(article),
            ...(inReview?.has(article.file) ? ['waits for review'] : []),
            ...(awaited.has(article.file) ? ['not seen live yet'] : []),
          ]),
        ),
      ]);
      print(paint('bold', header));
      for (const line of lines) print(line);
    });
}

/** Notes about the dates of an article that is not live yet, or has expired. */
function stateNotes(article: ArticleFile): string[] {
  if (article.kind !== 'article') return [];
  const { state, liveAt = '', expiresAt = '' } = article;
  if (state === 'held') return ['held'];
  if (state === 'scheduled') return [`live at ${liveAt}`];
  return state === 'expired' ? [`expired ${expiresAt}`] : [];
}

/** The longest title that is shown in full, in characters. */
const TITLE_CHARS = 40;

/** @param notes further facts about the article, such as that it waits for review. */
function rowOf(article: ArticleFile, author: string, notes: readonly string[]): string[] {
  const { kind, file, reason } = article;
  if (kind === 'unreadable') return ['', 'unreadable', author, `(${reason})`, file];
  const { date, title, url, address } = article;
  const short = title.length > TITLE_CHARS ? `${title.slice(0, TITLE_CHARS - 1)}…` : title;
  // Pinned and listed URLs are certain.
  const shown = address === 'unknown' ? `${url} (unknown${reason === undefined ? '' : `: ${reason}`})` : url;
  const noted = [shown, ...notes.map((note) => `(${note})`)].join(' ');
  return [date.slice(0, 10), short, author, noted, file];
}
