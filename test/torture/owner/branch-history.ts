import type { OwnerSite } from './owner-site.js';

/** A commit of HEAD's history that contains an article. */
export interface ArticleCommit {
  readonly subject: string;
  readonly files: readonly string[];
  /** The revision in the article's file at this commit. */
  readonly revision: string;
}

/** A commit that Pressmark did not make. */
export type OtherCommit = Pick<ArticleCommit, 'subject' | 'files'>;

/**
 * HEAD's history, oldest first. Pressmark's commits are recognized by their author or trailers, not by their committer,
 * because a rebase makes the owner the committer. A commit that the owner has amended has lost its trailers, but it
 * still has its author and its file.
 */
export async function branchHistory({ git }: Pick<OwnerSite, 'git'>): Promise<{
  readonly articles: ArticleCommit[];
  readonly others: OtherCommit[];
}> {
  const trailer = '%(trailers:key=Revision-Id,valueonly,separator=%x2C)';
  const format = `%x01%H%x02%an%x02%s%x02${trailer}%x02`;
  const log = await git('log', '--reverse', `--format=${format}`, '--name-only', '--no-renames', 'HEAD');
  const articles: ArticleCommit[] = [];
  const others: OtherCommit[] = [];
  for (const entry of log.split('\x01').slice(1)) {
    const [commit = '', author = '', subject = '', named = '', names = ''] = entry.split('\x02');
    const files = names.split('\n').filter((line) => line !== '');
    const revisionOf = async (file: string) =>
      /^revision: "(.*)"$/m.exec(await git('show', `${commit}:${file}`))?.[1] ?? '';
    if (named === '' && author !== 'Bot') {
      // A receiver that is killed after it has written the index and before it has moved the branch leaves its
      // articles staged. An amend of the whole index then takes them into the owner's commit.
      const included = subject.endsWith(', amended')
        ? files.filter((name) => name.startsWith('content/'))
        : [];
      for (const file of included)
        articles.push({ subject, files: [file], revision: await revisionOf(file) });
      others.push({ subject, files: files.filter((name) => !included.includes(name)) });
      continue;
    }
    const revision = await revisionOf(files[0] ?? '');
    if (named !== '' && named !== revision)
      throw new Error(`the trailer of ${commit} has the revision ${named}, but its file has ${revision}`);
    articles.push({ subject, files, revision });
  }
  return { articles, others };
}
