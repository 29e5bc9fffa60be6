import fs from 'node:fs';
import { join } from 'node:path';
import { revisionOf } from '../../support/content.js';
import { filesIn, type OwnerSite } from './owner-site.js';

/** What became of one update. */
export interface SentUpdate {
  /** Its revision. */
  readonly id: string;
  /** The article's file. */
  readonly path: string;
  /** The revision that it was made from. */
  readonly base: string;
  status: number | 'killed';
}

/** A commit of an article. */
interface Commit {
  readonly subject: string;
  /** What its trailers say. */
  readonly revision: string;
  readonly text: string;
}

/** What is wrong with an article's history, and that history, newest commit first. */
export interface Findings {
  readonly path: string;
  readonly wrong: readonly string[];
  readonly history: readonly string[];
}

/**
 * Finds texts of Pressmark that updates have replaced and that have no commit, texts of people that updates have replaced and that are nowhere, and what is
 * committed twice.
 *
 * @param saved every text that a person has saved, by the revision that it is.
 * @param isOwners whether a person commits a file themselves: the branch goes on without Pressmark's commits then.
 */
export async function lookForLosses(
  { dir, git }: Pick<OwnerSite, 'dir' | 'git'>,
  updates: readonly SentUpdate[],
  saved: ReadonlyMap<string, string>,
  isOwners: (path: string) => boolean,
): Promise<Findings[]> {
  const left = filesIn(join(dir, '.pressmark', 'left-edits')).map((path) => fs.readFileSync(path, 'utf8'));
  const all: Findings[] = [];
  for (const path of new Set(updates.map((one) => one.path))) {
    const commits = await commitsOf(git, path);
    const revisions = commits.map(({ revision }) => revision).filter((revision) => revision !== '');
    const wrong = [...new Set(revisions.filter((one, index) => revisions.indexOf(one) < index))].map(
      (revision) => `${revision} is committed twice`,
    );
    for (const { id, base, status } of updates.filter((one) => one.path === path)) {
      const isCommitted = commits.some(({ text }) => revisionOf(text) === id);
      const isStored = status === 200 || isCommitted;
      const isOnesOwn = isStored && !base.startsWith('edit-') && !isOwners(path);
      if (isOnesOwn && !commits.some(({ text }) => revisionOf(text) === base))
        wrong.push(`${base}, which ${id} has replaced, has no commit`);
      if (!isStored || !base.startsWith('edit-')) continue;
      const text = saved.get(base);
      const places = commits.filter((one) => one.text === text);
      const what = `${base}, which ${id} has replaced,`;
      if (text === undefined) wrong.push(`${what} is nobody’s`);
      else if (places.filter(({ subject }) => subject.startsWith('Edit: ')).length > 1)
        wrong.push(`${what} has more than one commit`);
      else if (places.length === 0 && !left.includes(text)) wrong.push(`${what} is lost`);
      else if (places.length === 0 && !isOwners(path))
        wrong.push(`${what} was left to its owner, who has committed nothing there`);
    }
    const history = commits.map(({ subject, text }) => `${subject} ${revisionOf(text)}`);
    if (wrong.length > 0) all.push({ path, wrong, history });
  }
  return all;
}

/** The commits of one file, newest first. */
async function commitsOf(git: OwnerSite['git'], path: string): Promise<Commit[]> {
  const format = '%H%x00%s%x00%(trailers:key=Revision-Id,valueonly,separator=%x2C)';
  const lines = (await git('log', `--format=${format}`, 'HEAD', '--', path)).trim().split('\n');
  return Promise.all(
    lines.map(async (line) => {
      const [name = '', subject = '', revision = ''] = line.split('\0');
      return { subject, revision, text: await git('show', `${name}:${path}`) };
    }),
  );
}
