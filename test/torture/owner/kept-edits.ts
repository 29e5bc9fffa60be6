import fs from 'node:fs';
import { join } from 'node:path';
import { revisionOf } from '../../support/content.js';
import { filesIn, type OwnerSite } from './owner-site.js';

/** An update that was sent. */
export interface SentUpdate {
  /** The update's revision. */
  readonly id: string;
  /** The article's file. */
  readonly path: string;
  /** The revision that it was made from. */
  readonly base: string;
  /** The status of the answer; `killed` if there was none. */
  status: number | 'killed';
}

/** A commit of an article. */
interface Commit {
  readonly subject: string;
  /** The revision in its trailers; empty if it has none. */
  readonly revision: string;
  readonly text: string;
}

/** The faults in an article's history. */
export interface Findings {
  readonly path: string;
  /** One sentence for each fault. */
  readonly wrong: readonly string[];
  /** The commits of the file, newest first. */
  readonly history: readonly string[];
}

/**
 * Finds texts that updates have replaced and that were lost: a text of Pressmark must have a commit; a text of a person
 * must have a commit or be in `.pressmark/left-edits/`. Also finds texts that were committed twice.
 *
 * @param saved every text that a person has saved, by its revision.
 * @param isOwners whether a person also commits this file; Pressmark then does not commit older texts of it.
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
      const isPressmarks = isStored && !base.startsWith('edit-') && !isOwners(path);
      if (isPressmarks && !commits.some(({ text }) => revisionOf(text) === base))
        wrong.push(`${base}, which ${id} has replaced, has no commit`);
      if (!isStored || !base.startsWith('edit-')) continue;
      const text = saved.get(base);
      const places = commits.filter((one) => one.text === text);
      const what = `${base}, which ${id} has replaced,`;
      if (text === undefined) wrong.push(`${what} was saved by nobody`);
      else if (places.filter(({ subject }) => subject.startsWith('Edit: ')).length > 1)
        wrong.push(`${what} has more than one commit`);
      else if (places.length === 0 && !left.includes(text)) wrong.push(`${what} is lost`);
      else if (places.length === 0 && !isOwners(path))
        wrong.push(`${what} was left to the owner, who has not committed this file`);
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
