import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { TestFn } from 'ava';
import { gitIn, inClone, makeRepository } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gitThatFails } from './failing-git.js';

/** The commits of an article, once it was published, edited and updated. */
export const ALL = [
  'Publish: Keeping bees on a balcony',
  'Edit: Keeping bees on a balcony',
  'Update: Keeping bees on a windy balcony',
];

/** One site for the serial tests of a file, at a durability level, whose receiver commits edits. */
export function sharedSite(test: TestFn, durability: 'disk' | 'commit') {
  const dir = makeTempDir();
  const disposers: (() => unknown)[] = [() => removeTempDir(dir)];
  const git = gitThatFails({ teardown: (dispose) => disposers.push(dispose) });
  let receiver: ReceiverHere | undefined;
  test.serial.before(async () => {
    makeRepository(dir, { site: false, durability, git: { commitEdits: true } });
    receiver = await launchHere(dir, inClone(dir, { env: git.env }));
  });
  test.after.always(async () => {
    await receiver?.close();
    for (const dispose of disposers.reverse()) await dispose();
  });
  const running = () => {
    if (receiver === undefined) throw new Error('the receiver has not started');
    return receiver;
  };

  /** Publishes an article, and waits for its commit. */
  async function publish() {
    const data = article();
    const { url } = (await running().post('article.published', data)).json;
    const file = fileOf(dir, data.id);
    const path = relative(dir, file);
    const log = (format: string) =>
      gitIn(dir, 'log', '--reverse', `--format=${format}`, 'main', '--', path)
        .split('\n')
        .filter((line) => line !== '');
    // the branch moves before the index is let go: a test that locks it would be taken for Pressmark
    const lock = join(dir, '.git', 'index.lock');
    await until(
      'the publication is committed, and the index is free',
      () => log('%s').length === 1 && !fs.existsSync(lock),
    );
    return {
      id: data.id,
      file,
      path,
      /** Appends words to the file, as a person would. @returns its text then, and an update that was made from it. */
      edit: async (words: string | Buffer) => {
        fs.appendFileSync(file, words);
        const { revision_id: base_revision_id } = await running().find(url);
        if (!base_revision_id.startsWith('edit-'))
          throw new Error(`the lookup of an edited article should name an edit: ${base_revision_id}`);
        const request = update({ target_id: data.id, target_url: url, base_revision_id });
        return { text: fs.readFileSync(file, 'utf8'), request };
      },
      /** The subjects of its commits on the branch, oldest first. */
      subjects: () => log('%s'),
      /** The text that it has at a commit of the branch, counted from its last: 0 for that. */
      at: (commitsBefore: number) => gitIn(dir, 'show', `${log('%H').at(-1 - commitsBefore)}:${path}`),
      status: () => gitIn(dir, 'status', '--porcelain', path),
    };
  }

  return { dir, git, receiver: running, publish };
}
