import type { OwnerSite } from './owner-site.js';

/** A commit of HEAD's history that has an article in it. */
export interface ArticleCommit {
  readonly subject: string;
  readonly files: readonly string[];
  /** The revision of the article that stands in its file there. */
  readonly revision: string;
}

/** A commit of somebody else. */
export type OtherCommit = Pick<ArticleCommit, 'subject' | 'files'>;

/**
 * HEAD's history, oldest first. Pressmark's commits are known by their author and trailers: a rebase makes the owner
 * their committer. Where the owner has amended one, the trailers are gone, but the author and the file are as before.
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
      // A receiver that is killed between the index and the branch leaves its articles staged: an owner who
      // amends the whole index just then, and not a file of theirs, has them in their commit.
      const swept = subject.endsWith(', amended') ? files.filter((name) => name.startsWith('content/')) : [];
      for (const file of swept) articles.push({ subject, files: [file], revision: await revisionOf(file) });
      others.push({ subject, files: files.filter((name) => !swept.includes(name)) });
      continue;
    }
    const revision = await revisionOf(files[0] ?? '');
    if (named !== '' && named !== revision) throw new Error(`${commit}: ${named}, its file has ${revision}`);
    articles.push({ subject, files, revision });
  }
  return { articles, others };
}
