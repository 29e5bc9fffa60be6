import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { edit, fileOf, namesIn } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

/** Everything below `.git`, to the last byte and time stamp. */
function repositoryOf(dir: string): string[] {
  const root = join(dir, '.git');
  return namesIn(root).map((name) => {
    const stat = fs.statSync(join(root, name));
    const digest = stat.isFile() ? hash('sha256', fs.readFileSync(join(root, name))) : 'folder';
    return [name, stat.mode, stat.mtimeMs, digest].join(' ');
  });
}

test('with git: false a repository is left as it is, whatever is published, edited and updated', async (t) => {
  const dir = tempDir(t);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "git": false }');
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', 'pressmark.config.json');
  const by = ['-c', 'user.name=Olga', '-c', 'user.email=o@example.org'];
  git(...by, 'commit', '--quiet', '--message', 'First');
  fs.writeFileSync(join(dir, 'notes.md'), 'The owner has staged this.');
  git('add', 'notes.md');
  const before = repositoryOf(dir);

  const receiver = await startReceiver(t, { dir });
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  edit(fileOf(dir, data.id), 'Out of the wind.\n\n<!--', 'Out of the wind, always.\n\n<!--');
  const { revision_id: base_revision_id } = await receiver.find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.is(await receiver.stop(), 0);
  t.deepEqual(repositoryOf(dir), before);

  t.is(git('log', '--format=%s'), 'First\n');
  t.regex(git('status', '--porcelain'), /^A {2}notes\.md\n(?:.*\n)*\?\? content\/\n/);
});
