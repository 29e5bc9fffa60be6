import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { TestFn } from 'ava';
import { gitIn, launchIn, makeRepository } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import type { Receiver, ReceiverOptions } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gitThatFails } from './failing-git.js';

/** A site whose receiver commits edits, for the serial tests of a file; see `sharedSite`. */
export type EditedSite = ReturnType<typeof sharedSite>;

/** An article of that site. */
export type EditedArticle = Awaited<ReturnType<EditedSite['publish']>>;

/** The commits of an article, once it was published, edited and updated. */
export const ALL = [
  'Publish: Keeping bees on a balcony',
  'Edit: Keeping bees on a balcony',
  'Update: Keeping bees on a windy balcony',
];

/** One site for all tests of a file, at a durability level. */
export function sharedSite(test: TestFn, durability: 'disk' | 'commit', options: ReceiverOptions = {}) {
  const dir = makeTempDir();
  const disposers: (() => unknown)[] = [() => removeTempDir(dir)];
  const git = gitThatFails({ teardown: (dispose) => disposers.push(dispose) });
  let receiver: Receiver | undefined;
  let hasEnded = true;
  test.after.always(async () => {
    for (const dispose of disposers.reverse()) await dispose();
  });
  test.serial.before(() => {
    makeRepository(dir, { site: false, durability, git: { commitEdits: true } });
  });

  /** A receiver beside the one that runs. */
  async function another(): Promise<Receiver> {
    const started = await launchIn(dir, { ...options, env: { ...options.env, ...git.env } });
    disposers.push(() => started.kill('SIGKILL'));
    return started;
  }

  /** The receiver that runs; a new one where the last has ended. */
  async function running(): Promise<Receiver> {
    if (receiver !== undefined && !hasEnded) return receiver;
    git.clear();
    const started = await another();
    hasEnded = false;
    const ended = <T>(end: Promise<T>) =>
      end.finally(() => {
        hasEnded = true;
      });
    receiver = {
      ...started,
      kill: (signal) => ended(started.kill(signal)),
      stop: (signal) => ended(started.stop(signal)),
    };
    return receiver;
  }

  /** Publishes an article. */
  async function store() {
    const data = article();
    const { url } = (await (await running()).post('article.published', data)).json;
    const file = fileOf(dir, data.id);
    const path = relative(dir, file);
    const log = (format: string) =>
      gitIn(dir, 'log', '--reverse', `--format=${format}`, 'main', '--', path)
        .split('\n')
        .filter((line) => line !== '');
    const requestFor = async ({ find }: Pick<Receiver, 'find'>) => {
      const { revision_id: base_revision_id } = await find(url);
      return update({ target_id: data.id, target_url: url, base_revision_id });
    };
    return {
      id: data.id,
      url,
      file,
      path,
      /** Appends words to the file, as a person would. @returns its text then, and an update that was made from it. */
      edit: async (words: string | Buffer) => {
        fs.appendFileSync(file, words);
        const request = await requestFor(await running());
        if (!request.base_revision_id.startsWith('edit-'))
          throw new Error(`the lookup of an edited article should name an edit: ${request.base_revision_id}`);
        return { text: fs.readFileSync(file, 'utf8'), request };
      },
      /** An update that is made from what a receiver has. */
      update: requestFor,
      /** The subjects of its commits on the branch, oldest first. */
      subjects: () => log('%s'),
      /** The text that it has at a commit of the branch, counted from its last: 0 for that. */
      at: (commitsBefore: number) => gitIn(dir, 'show', `${log('%H').at(-1 - commitsBefore)}:${path}`),
      status: () => gitIn(dir, 'status', '--porcelain', path),
    };
  }

  /** Publishes an article, and waits for its commit. */
  async function publish() {
    const stored = await store();
    // the branch moves before the index is let go: a test that locks it would be taken for Pressmark
    const lock = join(dir, '.git', 'index.lock');
    await until(
      'the publication is committed, and the index is free',
      () => stored.subjects().length === 1 && !fs.existsSync(lock),
    );
    return stored;
  }

  return { dir, git, receiver: running, another, store, publish };
}
