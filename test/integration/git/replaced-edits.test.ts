import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { replacedFiles } from '../../../src/git/commit/replaced-texts.js';
import { gitIn, inClone, makeRepository } from '../../support/clones.js';
import { fileOf, namesIn } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gitThatFails } from './failing-git.js';

/** Publishes an article. `replace` updates it, `append` writes into its file as a person would. */
async function published(t: ExecutionContext, { post, find, dir }: ReceiverHere) {
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const replace = async () => {
    const { revision_id: base_revision_id } = await find(url);
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await post('article.updated', request)).status, 200);
    return base_revision_id;
  };
  /** @returns the path of the one text below `.pressmark/replaced/`, which is that of the file before. */
  const keptByReplacing = async () => {
    fs.appendFileSync(file, 'my words\n');
    const text = fs.readFileSync(file);
    const base = await replace();
    const [kept = '', ...more] = replacedFiles(join(dir, '.pressmark'), path);
    t.deepEqual(more, []);
    t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept)), text);
    return { kept, base };
  };
  return { id: data.id, file, path, replace, keptByReplacing };
}

test('200: at level disk, where git fails, the edit is a plain file that the log and pressmark log name, and revert puts back', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false, git: { commitEdits: true } });
  const git = gitThatFails(t);
  const receiver = await startHere(t, inClone(dir, { env: git.env }));
  const { id, file, path, keptByReplacing } = await published(t, receiver);
  const isCommitted = (subject: string) =>
    until(`its commit is ${subject}`, () => gitIn(dir, 'log', '--format=%s', '--', path).startsWith(subject));
  await isCommitted('Publish: ');
  git.fail('update-index');
  const { kept, base } = await keptByReplacing();
  await until('the log names it', () => receiver.log.some((line) => line.file === kept));
  git.clear();
  await isCommitted('Update: ');

  const env = { PRESSMARK_SITE_URL: SITE_URL, HOME: dir };
  const log = await runHere(['log', id, '--dir', dir], env);
  t.true(log.stdout.includes(kept), log.stdout);
  const reverted = await runHere(['revert', id, base, '--dir', dir], env);
  t.is(reverted.code, 0, reverted.stderr);
  t.true(fs.readFileSync(file, 'utf8').includes('my words'));
});

/** Everything below `.git`, to the last byte and time stamp. */
function repositoryOf(dir: string): string[] {
  const root = join(dir, '.git');
  return namesIn(root).map((name) => {
    const stat = fs.statSync(join(root, name));
    const digest = stat.isFile() ? hash('sha256', fs.readFileSync(join(root, name))) : 'folder';
    return [name, stat.mode, stat.mtimeMs, digest].join(' ');
  });
}

test('with git: false a repository is left as it is; an edit that an update replaces becomes a file, which doctor names', async (t) => {
  const dir = makeRepository(tempDir(t), { git: false, site: false });
  fs.writeFileSync(join(dir, 'notes.md'), 'The owner has staged this.');
  gitIn(dir, 'add', 'notes.md');
  const before = repositoryOf(dir);
  const receiver = await startHere(t, { dir });
  const { replace, keptByReplacing } = await published(t, receiver);
  await replace();
  t.deepEqual(replacedFiles(join(dir, '.pressmark')), [], 'the service’s own text is the service’s');
  const { kept } = await keptByReplacing();
  await receiver.close();
  const { stdout } = await runHere(['doctor', '--dir', dir]);
  t.true(
    stdout.includes(
      `! git: an update has replaced a text that was not committed; it is kept in .pressmark/${kept}`,
    ),
  );
  t.deepEqual(repositoryOf(dir), before);
});
