import fs from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf } from '../../../../src/errors.js';
import { type Clones, gitIn } from '../../../support/clones.js';
import { fileOf } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import type { Receiver } from '../../../support/receiver.js';
import { until } from '../../../support/until.js';

/** The settings of machines that share people's edits. */
export const SHARING_EDITS = { git: { commitEdits: true, push: { fetchEvery: 500 } } };

/** The subject of the commit in which `published` stores an article. */
export const PUBLISHED = 'Publish: Keeping bees on a balcony';
/** The subject of the commit in which its update is stored. */
export const UPDATED = 'Update: Keeping bees on a windy balcony';

/** An article that was published through a machine and that another has in its work tree, too. */
export async function published(machine: Receiver, other = machine) {
  const data = article();
  const { url } = (await machine.post('article.published', data)).json;
  await until('both machines have the article in their work trees', () =>
    [machine, other].every(({ dir }) => fs.existsSync(join(dir, 'content')) && isThere(dir, data.id)),
  );
  const path = relative(machine.dir, fileOf(machine.dir, data.id));
  const { revision_id: first } = await machine.find(url);
  const change = (base_revision_id: string) =>
    update({ target_id: data.id, target_url: url, base_revision_id });
  return { data, url, path, first, change };
}

/** Whether a clone has an article, and its branch and index too. */
function isThere(dir: string, id: string): boolean {
  try {
    return isClean(dir, relative(dir, fileOf(dir, id)));
  } catch {
    return false;
  }
}

/** Whether HEAD has a file as it is in the work tree. */
export function isClean(dir: string, path: string): boolean {
  return (
    fs.existsSync(join(dir, path)) &&
    gitIn(dir, 'status', '--porcelain', '--', path) === '' &&
    isTracked(dir, path)
  );
}

export function isTracked(dir: string, path: string): boolean {
  return gitIn(dir, 'ls-tree', '--name-only', 'HEAD', path) !== '';
}

/** The subjects of the remote's commits of one file, oldest first. */
export function subjects(remote: Clones, path: string): string[] {
  return remote.git('log', '--reverse', '--format=%s', 'main', '--', path).trim().split('\n');
}

/** The text of a file with another title. */
export function retitled({ dir }: Pick<Receiver, 'dir'>, path: string, title: string): string {
  return fs.readFileSync(join(dir, path), 'utf8').replace(/^title: .*$/m, `title: "${title}"`);
}

/** Edits a file as a person would; returns its text. */
export function retitle(machine: Pick<Receiver, 'dir'>, path: string, title: string): string {
  const text = retitled(machine, path, title);
  fs.writeFileSync(join(machine.dir, path), text);
  return text;
}

/** Does what git may refuse for a moment: Pressmark has the index, or another machine was first. */
export async function eventually(expected: string, work: () => unknown): Promise<void> {
  let last: unknown;
  try {
    await until(expected, () => {
      try {
        work();
        return true;
      } catch (error) {
        last = error;
        return false;
      }
    });
  } catch (error) {
    throw new Error(`${messageOf(error)}; the last attempt: ${messageOf(last)}`, { cause: last });
  }
}

/** Edits a file and stages the edit, which a machine sees at no moment without the other: the index goes first. */
export async function retitleStaged(machine: Receiver, path: string, title: string): Promise<string> {
  const { dir } = machine;
  const text = retitled(machine, path, title);
  const draft = join(dir, '.git', 'draft');
  fs.writeFileSync(draft, text);
  const blob = gitIn(dir, 'hash-object', '-w', draft).trim();
  await eventually('a person can stage an edit', () =>
    gitIn(dir, 'update-index', '--cacheinfo', `100644,${blob},${path}`),
  );
  fs.writeFileSync(join(dir, path), text);
  return text;
}

interface Health {
  readonly push: {
    readonly waiting: number;
    readonly unsharedEdits: readonly { readonly path: string; readonly why: string }[];
  };
}

/** Whether a receiver can store articles, and what it says of its pushes. */
export async function health({ origin }: Receiver): Promise<Health & { readonly isHealthy: boolean }> {
  const answer = await fetch(`${origin}/healthz?verbose`);
  return { ...((await answer.json()) as Health), isHealthy: answer.status === 200 };
}

/** The edits of which a receiver says that they stay in its clone. */
export async function leftIn(receiver: Receiver): Promise<string[]> {
  const { push } = await health(receiver);
  return push.unsharedEdits.map(({ path }) => `content/${path}`);
}
