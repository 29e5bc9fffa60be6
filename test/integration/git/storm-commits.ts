import type { StormSite } from './storm-site.js';

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
 * HEAD's history, oldest first. Pressmark's commits are told by their author and trailers: a rebase makes the person
 * their committer. Where the person has amended one, the trailers are gone, but the author and the file are as before.
 */
export async function commitsIn({ git }: Pick<StormSite, 'git'>): Promise<{
  readonly articles: ArticleCommit[];
  readonly others: OtherCommit[];
}> {
  const trailer = '%(trailers:key=Revision-Id,valueonly,separator=%x2C)';
  const format = `%x01%H%x02%an%x02%s%x02${trailer}%x02`;
  const log = await git('log', '--reverse', `--format=${format}`, '--name-only', '--no-renames', 'HEAD');
  const articles: ArticleCommit[] = [];
  const others: OtherCommit[] = [];
  for (const entry of log.split('\x01').slice(1)) {
    const [commit = '', author = '', subject = '', told = '', names = ''] = entry.split('\x02');
    const files = names.split('\n').filter((line) => line !== '');
    const revisionOf = async (file: string) =>
      /^revision: "(.*)"$/m.exec(await git('show', `${commit}:${file}`))?.[1] ?? '';
    if (told === '' && author !== 'Bot') {
      // A receiver that is killed between the index and the branch leaves its articles staged: who amends the whole
      // index just then, and not a file of theirs, has them in their commit.
      const swept = subject.endsWith(', amended') ? files.filter((name) => name.startsWith('content/')) : [];
      for (const file of swept) articles.push({ subject, files: [file], revision: await revisionOf(file) });
      others.push({ subject, files: files.filter((name) => !swept.includes(name)) });
      continue;
    }
    const revision = await revisionOf(files[0] ?? '');
    if (told !== '' && told !== revision) throw new Error(`${commit}: ${told}, its file has ${revision}`);
    articles.push({ subject, files, revision });
  }
  return { articles, others };
}
