import { execFileSync } from 'node:child_process';
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

const [PUBLISHED, EDITED, UPDATED] = [
  'Publish: Keeping bees on a balcony',
  'Edit: Keeping bees on a balcony',
  'Update: Keeping bees on a windy balcony',
];

/** A receiver in a repository, whose git fails when the test wants it to. */
async function start(t: ExecutionContext, config: object) {
  const dir = makeRepository(tempDir(t), { site: false, ...config });
  const git = gitThatFails(t);
  return { dir, git, receiver: await startHere(t, inClone(dir, { env: git.env })) };
}

/** Publishes an article, and appends words to its file as a person would. */
async function publishAndEdit({ dir, post, find }: ReceiverHere, words: string | Buffer = 'my words\n') {
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const log = (format: string) => gitIn(dir, 'log', '--reverse', `--format=${format}`, '--', path);
  const subjects = () => log('%s').split('\n').filter(Boolean);
  await until('the publication is committed', () => subjects().length === 1);
  fs.appendFileSync(file, words);
  const bytes = fs.readFileSync(file);
  const { revision_id: base_revision_id } = await find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  return { id: data.id, file, path, bytes, request, subjects };
}

/** The one text of an article below `.pressmark/replaced/`. */
function keptText(t: ExecutionContext, dir: string, path: string): string {
  const [kept = '', ...more] = replacedFiles(join(dir, '.pressmark'), path);
  t.deepEqual(more, []);
  return kept;
}

test('200: an edit that an update replaces is committed before it, by itself and once, unless its owner has committed or staged it; 503 where that fails, and the edit stays', async (t) => {
  const { dir, git, receiver } = await start(t, { durability: 'commit', git: { commitEdits: true } });
  // not UTF-8, and without a line end
  const one = await publishAndEdit(receiver, Buffer.from('caf\xe9\r\nnoir', 'latin1'));
  git.fail('update-index');
  t.is((await receiver.post('article.updated', one.request)).status, 503);
  t.deepEqual(fs.readFileSync(one.file), one.bytes);
  git.clear();
  t.is((await receiver.post('article.updated', one.request)).status, 200);
  const all = [PUBLISHED, EDITED, UPDATED];
  t.deepEqual(one.subjects(), all);
  const blob = execFileSync('git', ['hash-object', '--stdin'], { input: one.bytes, encoding: 'utf8' });
  t.is(gitIn(dir, 'rev-parse', `HEAD^:${one.path}`), blob, 'byte for byte');
  t.is(gitIn(dir, 'show', `HEAD:${one.path}`), fs.readFileSync(one.file, 'utf8'));
  t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
  t.is((await receiver.post('article.updated', one.request)).status, 200, 'a retry');
  t.deepEqual(one.subjects(), all);

  const inHead = await publishAndEdit(receiver);
  gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
  t.is((await receiver.post('article.updated', inHead.request)).status, 200);
  const staged = await publishAndEdit(receiver);
  gitIn(dir, 'add', 'content');
  t.is((await receiver.post('article.updated', staged.request)).status, 200);
  // a stop commits whatever edit the receiver still has in mind
  await receiver.close();

  t.deepEqual(inHead.subjects(), [PUBLISHED, 'My own commit', UPDATED]);
  t.deepEqual(staged.subjects(), [PUBLISHED, UPDATED]);
  t.is(gitIn(dir, 'diff', '--cached', '--name-only').trim(), staged.path);
  t.is(gitIn(dir, 'show', `:${staged.path}`), staged.bytes.toString('utf8'));
  const kept = keptText(t, dir, '');
  t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept)), staged.bytes, 'what is staged is a plain file');
});

test('200: at level disk, where git fails, the edit is a plain file that the log and pressmark log name, and revert puts back', async (t) => {
  const { dir, git, receiver } = await start(t, { git: { commitEdits: true } });
  const one = await publishAndEdit(receiver);
  git.fail('update-index');
  t.is((await receiver.post('article.updated', one.request)).status, 200);
  const kept = keptText(t, dir, one.path);
  t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept)), one.bytes);
  await until('the log names it', () => receiver.log.some(({ file }) => file === kept));
  git.clear();
  await until('the update is committed', () => one.subjects().at(-1) === UPDATED);

  const env = { PRESSMARK_SITE_URL: SITE_URL, HOME: dir };
  const log = await runHere(['log', one.id, '--dir', dir], env);
  t.true(log.stdout.includes(kept), log.stdout);
  const { base_revision_id } = one.request;
  const reverted = await runHere(['revert', one.id, base_revision_id, '--dir', dir], env);
  t.is(reverted.code, 0, reverted.stderr);
  t.true(fs.readFileSync(one.file, 'utf8').includes('my words'));
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
  const { post, find, close } = await startHere(t, { dir });
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const replace = async () => {
    const { revision_id: base_revision_id } = await find(url);
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await post('article.updated', request)).status, 200);
  };
  await replace();
  t.deepEqual(replacedFiles(join(dir, '.pressmark')), [], 'the service’s own text is the service’s');
  const file = fileOf(dir, data.id);
  fs.appendFileSync(file, 'my words\n');
  const text = fs.readFileSync(file);
  await replace();
  const kept = keptText(t, dir, relative(dir, file));
  t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept)), text);
  await close();
  const { stdout } = await runHere(['doctor', '--dir', dir]);
  t.true(
    stdout.includes(
      `! git: an update has replaced a text that was not committed; it is kept in .pressmark/${kept}`,
    ),
  );
  t.deepEqual(repositoryOf(dir), before);
});
