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
 * Finds acknowledged updates, and texts that updates have replaced, that were lost: each of them, a person's or Pressmark's, must be in the
 * history of the branch or in a file below `.pressmark/replaced/`. Also finds texts that were committed twice.
 *
 * @param saved every text that a person has saved, by its revision.
 */
export async function findLostTexts(
  { dir, git }: Pick<OwnerSite, 'dir' | 'git'>,
  updates: readonly SentUpdate[],
  saved: ReadonlyMap<string, string>,
): Promise<Findings[]> {
  const all: Findings[] = [];
  for (const path of new Set(updates.map((one) => one.path))) {
    const commits = await commitsOf(git, path);
    const kept = filesIn(join(dir, '.pressmark', 'replaced', path)).map((file) =>
      fs.readFileSync(file, 'utf8'),
    );
    const texts = new Set([...kept, ...commits.map(({ text }) => text)]);
    const revisions = new Set([...texts].map(revisionOf));
    const wrong = committedTwice(commits);
    for (const { id, base, status } of updates.filter((one) => one.path === path)) {
      if (status !== 200 && !revisions.has(id)) continue; // it was not stored
      // A person may have edited it before git took its text; the key stays.
      if (status === 200 && ![...texts].some((text) => text.includes(`revision: "${id}"`)))
        wrong.push(`${id}, which was acknowledged, is lost`);
      const what = `${base}, which ${id} has replaced,`;
      if (!base.startsWith('edit-')) {
        if (!revisions.has(base)) wrong.push(`${what} is lost`);
        continue;
      }
      const text = saved.get(base);
      if (text === undefined) wrong.push(`${what} was saved by nobody`);
      else if (!texts.has(text)) wrong.push(`${what} is lost`);
    }
    const history = commits.map(({ subject, text }) => `${subject} ${revisionOf(text)}`);
    if (wrong.length > 0) all.push({ path, wrong, history });
  }
  return all;
}

/** Pressmark's commits of a text that it has committed before. */
function committedTwice(commits: readonly Commit[]): string[] {
  const own = commits.filter(({ revision }) => revision !== '').map(({ text }) => text);
  const twice = new Set(own.filter((text, index) => own.indexOf(text) < index));
  return [...twice].map((text) => `${revisionOf(text)} is committed twice`);
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
