import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { replacedFiles } from '../../../src/git/commit/replaced-texts.js';
import { fileOf, namesIn } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { startHere } from '../../support/receiver-here.js';
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

test('with git: false a repository is left as it is; an edit that an update replaces becomes a file, which log and doctor name', async (t) => {
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

  const receiver = await startHere(t, { dir });
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const replace = async () => {
    const { revision_id: base_revision_id } = await receiver.find(url);
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await receiver.post('article.updated', request)).status, 200);
  };
  await replace();
  t.deepEqual(replacedFiles(join(dir, '.pressmark')), [], 'the service’s own text is the service’s');
  const file = fileOf(dir, data.id);
  fs.appendFileSync(file, 'my words\n');
  const text = fs.readFileSync(file);
  await replace();
  const [kept = '', ...more] = replacedFiles(join(dir, '.pressmark'));
  t.deepEqual(more, []);
  t.true(kept.startsWith(`replaced/${relative(dir, file)}/`));
  t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept)), text);
  t.false(fs.readFileSync(file).equals(text));
  await receiver.close();
  const logged = receiver.log.find(({ msg }) => msg.startsWith('an update has replaced a text'));
  t.is(logged?.file, kept);
  const { stdout } = await runHere(['doctor', '--dir', dir]);
  t.true(stdout.includes(`! git: a text that an update has replaced has no commit: .pressmark/${kept}`));
  t.deepEqual(repositoryOf(dir), before);

  t.is(git('log', '--format=%s'), 'First\n');
  t.regex(git('status', '--porcelain'), /^A {2}notes\.md\n(?:.*\n)*\?\? content\/\n/);
});
