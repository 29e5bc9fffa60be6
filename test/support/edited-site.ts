import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { ExecutionContext } from 'ava';
import { gitIn, launchIn } from './clones.js';
import { fileOf } from './content.js';
import { article, update } from './events.js';
import { gitThatFails } from './failing-git.js';
import type { Receiver, ReceiverOptions } from './receiver.js';
import { tempDir } from './temp-dir.js';

/** A receiver that commits edits, at a durability level, and an article of it. */
export async function siteWithArticle(
  t: ExecutionContext,
  durability: 'disk' | 'commit',
  options: ReceiverOptions = {},
) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    JSON.stringify({ site: false, durability, git: { commitEdits: true } }),
  );
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const git = gitThatFails(t);
  const start = async () => {
    const receiver = await launchIn(dir, { ...options, env: { ...options.env, ...git.env } });
    t.teardown(() => receiver.kill('SIGKILL'));
    return receiver;
  };
  const receiver = await start();
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const file = fileOf(dir, data.id);
  /** Edits the file; returns its text and an update that was made from it. */
  const edit = async ({ find }: Receiver, words: string) => {
    fs.appendFileSync(file, words);
    const { revision_id: base } = await find(url);
    t.regex(base, /^edit-/);
    return {
      text: fs.readFileSync(file, 'utf8'),
      request: update({ target_id: data.id, target_url: url, base_revision_id: base }),
    };
  };
  const subjects = () => gitIn(dir, 'log', '--reverse', '--format=%s', 'main').trim().split('\n').slice(1);
  return { dir, git, start, receiver, file, path: relative(dir, file), edit, subjects };
}

/** The commits of that article, once it was published, edited and updated. */
export const ALL = [
  'Publish: Keeping bees on a balcony',
  'Edit: Keeping bees on a balcony',
  'Update: Keeping bees on a windy balcony',
];
