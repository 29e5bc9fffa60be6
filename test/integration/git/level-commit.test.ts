import '../../support/recorded-syncs.js';

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { replacedFiles } from '../../../src/git/commit/replaced-texts.js';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { articleFiles, edit, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { recorder } from '../../support/recorded-syncs.js';
import { storeOnly } from '../../support/store-only.js';
import { afterAll } from '../../support/teardown.js';
import { tempDir } from '../../support/temp-dir.js';
import { gitThatFails } from './failing-git.js';

// One receiver for all tests, at the level `commit`; the last one restarts it.
const lasting = afterAll(test);
const config = { site: false, durability: 'commit', git: { commitEdits: true } };
const dir = makeRepository(withCaller(tempDir(lasting)), config, 'plugins/\n*draft*\n');
const git = gitThatFails(lasting);
let receiver: ReceiverHere;
test.serial.before(async () => {
  receiver = await startHere(lasting, inClone(dir, { env: git.env }));
});

const publish = (data: object) => receiver.post('article.published', data);

/** The commits of a file, oldest first. */
const commitsOf = (path: string, format = '%an %s') =>
  gitIn(dir, 'log', '--reverse', `--format=${format}`, '--', path).split('\n').filter(Boolean);

/** An update of what a file or an answer says of an article. */
async function updateOf({ id, url }: { id: string; url: string }) {
  const { revision_id: base_revision_id } = await receiver.find(url);
  return update({ target_id: id, target_url: url, base_revision_id });
}

test.serial('200: every delivery that is answered has its commit in HEAD', async (t) => {
  const all = Array.from({ length: 12 }, () => article());
  const answers = await Promise.all(
    all.map(async (data) => {
      const { status, json } = await publish(data);
      return { status, json, isThere: committedIds(dir).includes(data.id) };
    }),
  );
  for (const { status, isThere } of answers) t.deepEqual([status, isThere], [200, true]);
  t.deepEqual(committedIds(dir).sort(), all.map(({ id }) => id).sort(), 'one commit each');
  t.true(gitIn(dir, 'reflog', 'main').trim().split('\n').length < all.length, 'several in one ref update');

  // The service names its revisions as it likes, also as those of a person's edits begin.
  const change = await updateOf(answers[0]?.json ?? { id: '', url: '' });
  const named = { ...change, id: 'edit-1', revision_id: 'edit-1' };
  t.is((await receiver.post('article.updated', named)).status, 200);
  t.regex(gitIn(dir, 'log', '-1', '--format=%s%n%b'), /^Update: .*Revision-Id: edit-1/s);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test.serial(
  '503: an article that cannot be committed, and an update, stays, and is acknowledged with its commit when it is sent again',
  async (t) => {
    const [files, commits] = [articleFiles(dir).length, committedIds(dir).length];
    git.fail('update-index');
    const data = article();
    const refused = await publish(data);
    t.is(refused.status, 503);
    t.regex(
      refused.json.error,
      /is stored, but has no commit yet: git update-index ended with exit code 128; send it again/,
    );
    t.deepEqual([articleFiles(dir).length, committedIds(dir).length], [files + 1, commits]);
    t.is((await fetch(`${receiver.origin}/healthz`)).status, 200);
    git.clear();
    const { status, json } = await publish(data);
    t.is(status, 200);
    t.is(articleFiles(dir).length, files + 1, 'stored once');
    t.deepEqual([committedIds(dir)[0], committedIds(dir).length], [data.id, commits + 1]);

    const change = await updateOf(json);
    git.fail('update-index');
    t.is((await receiver.post('article.updated', change)).status, 503);
    t.is((await receiver.find(json.url)).revision_id, change.revision_id);
    t.is(committedIds(dir).length, commits + 1);
    git.clear();
    t.is((await receiver.post('article.updated', change)).status, 200);
    t.is(committedIds(dir).length, commits + 2);
  },
);

test.serial(
  '503: a commit that may not be on the disk stays, and is acknowledged when its folders could be synced',
  async (t) => {
    const [files, commits] = [articleFiles(dir).length, committedIds(dir).length];
    // The folder is synced before the branch moves, too; it fails after that.
    const branch = join(dir, '.git/refs/heads/main');
    const before = fs.readFileSync(branch, 'utf8');
    const fine = recorder.observe;
    t.teardown(() => Object.assign(recorder, { observe: fine }));
    recorder.observe = (path) => {
      if (path !== dirname(branch) || fs.readFileSync(branch, 'utf8') === before) return '';
      recorder.observe = fine;
      throw Object.assign(new Error('EIO, injected'), { code: 'EIO' });
    };
    const data = article();
    t.is((await publish(data)).status, 503);
    t.is(committedIds(dir)[0], data.id);
    t.is(articleFiles(dir).length, files + 1, 'what the history has is not taken back');
    const { status, json } = await publish(data);
    t.deepEqual([status, json.id], [200, data.id]);
    t.is(committedIds(dir).length, commits + 1, 'no second commit');
    t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
    t.is(recorder.observe, fine, 'that sync has failed');
  },
);

/** The articles that git does not take, by their slugs, and how the answers to them say so. */
const REFUSED: Record<string, string> = {
  'first-draft': 'it is ignored by git; change that and send it again',
  sealed: 'git hash-object ended with exit code 128; send it again when git works',
};

test.serial(
  '503 with its reason: an ignored article, and one whose required filter fails; 200 for all that came with them',
  async (t) => {
    fs.writeFileSync(join(dir, '.git/info/attributes'), 'sealed.md filter=seal\n');
    gitIn(dir, 'config', 'filter.seal.clean', 'false');
    gitIn(dir, 'config', 'filter.seal.required', 'true');
    const all = ['one', 'first-draft', 'two', 'sealed', 'three', 'four'].map((slug) => article({ slug }));
    const answers = await Promise.all(all.map(publish));
    for (const [at, { slug, id }] of all.entries()) {
      const { status, json } = answers[at] ?? { status: 0, json: { error: '' } };
      const why = REFUSED[slug];
      t.is(status, why === undefined ? 200 : 503, slug);
      t.is(committedIds(dir).includes(id), why === undefined);
      if (why !== undefined) t.is(json.error, `the article is stored, but has no commit yet: ${why}`);
    }
    fs.rmSync(join(dir, '.git/info/attributes'));
    t.is((await publish(all[3] ?? {})).status, 200, 'the filter is gone');
  },
);

test.serial(
  '503: while a merge is unfinished, an update is refused, and an article has its commit when it is sent again afterwards',
  async (t) => {
    const change = await updateOf((await publish(article())).json);
    const [data, tip] = [article(), gitIn(dir, 'rev-parse', 'main')];
    const unfinished = join(dir, '.git/MERGE_HEAD');
    fs.writeFileSync(unfinished, tip);
    const refused = await receiver.post('article.updated', change);
    t.is(refused.status, 503);
    t.true(refused.json.error.includes("a merge is unfinished in the site's repository"));
    // The work tree may have an earlier text meanwhile: a 409 would end the update for good.
    const ahead = { ...change, base_revision_id: 'a-revision-of-the-branch' };
    t.is((await receiver.post('article.updated', ahead)).status, 503);
    t.is((await publish(data)).status, 503);
    t.is(gitIn(dir, 'rev-parse', 'main'), tip);
    fs.rmSync(unfinished);
    t.is((await publish(data)).status, 200);
    t.true(committedIds(dir).includes(data.id));
    t.is((await receiver.post('article.updated', ahead)).status, 409);
    t.is((await receiver.post('article.updated', change)).status, 200);
  },
);

const ADA = { name: 'Ada <Lovelace>', email: 'ada@example.org' };
const BO = { name: 'Bo' };

test.serial(
  '200-edits-in-the-admin: each is a commit by its person, and what could not be committed is, when they send it again; an edit by hand is committed before it',
  async (t) => {
    const articles = articlesOf(receiver);
    const data = article();
    await publish(data);
    const file = fileOf(dir, data.id);
    const path = relative(dir, file);
    const base = (await articles.get(data.id))?.revision ?? '';
    /** Again where the machine is busy. */
    const once = <T>(work: () => Promise<T>): Promise<T> =>
      work().catch((error) => {
        if (!String(error).includes('git took longer than')) throw error;
        return once(work);
      });
    const edited = () => articles.edit(data.id, base, { title: 'Housing bees' }, ADA);
    const text = {
      title: 'Wax',
      description: '',
      tags: ['Bees'],
      author: '',
      image: null,
      body: 'Of *wax*.',
    };
    const created = () => articles.create({ ...text, key: '00112233445566aa' }, BO);
    git.fail('update-index');
    await t.throwsAsync(edited(), { message: /commit/ });
    await t.throwsAsync(created(), { message: /commit/ });
    git.clear();
    const { revision } = await once(edited);
    t.is(commitsOf(path).at(-1), 'Ada Lovelace Edit: Housing bees');
    t.is(commitsOf(path, '%ae %cn').at(-1), 'ada@example.org Pressmark');
    const [now, first] = await articles.history(data.id);
    t.like(now, { current: true, author: ADA, subject: 'Edit: Housing bees', keptIn: null });
    t.is((await articles.at(data.id, first?.commit ?? '')).body, data.content_markdown);

    const { id, url } = await once(created);
    const written = relative(dir, fileOf(dir, id));
    t.deepEqual(commitsOf(written), ['Bo Publish: Wax']);
    const stored = await receiver.find(url);
    t.like(stored, { title: 'Wax', content_html: '<p>Of <em>wax</em>.</p>\n' });
    await once(() => articles.setStateBy(id, stored.revision_id, 'held', undefined, ADA));
    t.is(commitsOf(written).at(-1), 'Ada Lovelace Change: Wax');

    edit(file, 'Out of the wind.\n\n<!--', 'By hand.\n\n<!--');
    const byHand = await articles.open(data.id);
    t.regex(byHand?.revision ?? '', /^edit-/);
    t.true(byHand?.edited);
    await t.throwsAsync(articles.edit(data.id, revision, { title: 'Stale' }, BO), { message: /made from/ });
    await once(() => articles.edit(data.id, byHand?.revision ?? '', { description: 'In short.' }, BO));
    t.deepEqual(commitsOf(path).slice(2), ['Pressmark Edit: Housing bees', 'Bo Edit: Housing bees']);
    t.like(await articles.get(data.id), { title: 'Housing bees', description: 'In short.' });
    t.regex(fs.readFileSync(file, 'utf8'), /By hand\.\n\n<!--/);
    t.is(gitIn(dir, 'status', '--porcelain', '--', path), '');
  },
);

/** Publishes an article, and appends words to its file as a person would. */
async function publishAndEdit(words: string | Buffer = 'my words\n') {
  const { json } = await publish(article());
  const file = fileOf(dir, json.id);
  fs.appendFileSync(file, words);
  const path = relative(dir, file);
  const subjects = () => commitsOf(path, '%s').map((subject) => subject.split(':')[0]);
  return { file, path, bytes: fs.readFileSync(file), request: await updateOf(json), subjects };
}

test.serial(
  '200: an edit that an update replaces is committed before it, by itself and once, unless its owner has committed or staged it; 503 where that fails, and the edit stays',
  async (t) => {
    // not UTF-8, and without a line end
    const one = await publishAndEdit(Buffer.from('caf\xe9\r\nnoir', 'latin1'));
    git.fail('update-index');
    t.is((await receiver.post('article.updated', one.request)).status, 503);
    t.deepEqual(fs.readFileSync(one.file), one.bytes);
    git.clear();
    t.is((await receiver.post('article.updated', one.request)).status, 200);
    t.deepEqual(one.subjects(), ['Publish', 'Edit', 'Update']);
    const blob = execFileSync('git', ['hash-object', '--stdin'], { input: one.bytes, encoding: 'utf8' });
    t.is(gitIn(dir, 'rev-parse', `HEAD^:${one.path}`), blob, 'byte for byte');
    t.is(gitIn(dir, 'show', `HEAD:${one.path}`), fs.readFileSync(one.file, 'utf8'));
    t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
    t.is((await receiver.post('article.updated', one.request)).status, 200, 'a retry');
    t.deepEqual(one.subjects(), ['Publish', 'Edit', 'Update']);

    const inHead = await publishAndEdit();
    gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
    t.is((await receiver.post('article.updated', inHead.request)).status, 200);
    const staged = await publishAndEdit();
    gitIn(dir, 'add', 'content');
    t.is((await receiver.post('article.updated', staged.request)).status, 200);

    t.deepEqual(inHead.subjects(), ['Publish', 'My own commit', 'Update']);
    t.deepEqual(staged.subjects(), ['Publish', 'Update']);
    t.is(gitIn(dir, 'diff', '--cached', '--name-only').trim(), staged.path);
    t.is(gitIn(dir, 'show', `:${staged.path}`), staged.bytes.toString('utf8'));
    const kept = replacedFiles(join(dir, '.pressmark'), '').map((file) => join(dir, '.pressmark', file));
    t.deepEqual(
      kept.map((file) => fs.readFileSync(file)),
      [staged.bytes],
      'what is staged is a plain file',
    );
    gitIn(dir, 'reset', '--quiet', staged.path);
  },
);

test.serial(
  'after a restart what another level has stored on the disk alone is committed before it is acknowledged; where its owner has renamed an article, a redelivery is 200, as git has its text, and an update 503, with the reason',
  async (t) => {
    const data = article();
    const { json, text } = await publish(data);
    const commits = committedIds(dir).length;
    await receiver.close();
    t.is(committedIds(dir).length, commits, 'no edit was waiting for its commit');
    const path = relative(dir, fileOf(dir, data.id));
    const renamed = join(dirname(path), 'renamed.md');
    gitIn(dir, 'mv', path, renamed);
    const alone = await startHere(t, inClone(storeOnly(dir)));
    const left = article();
    const answer = await alone.post('article.published', left);
    await alone.close();
    t.is(committedIds(dir).length, commits);
    gitIn(dir, 'restore', 'pressmark.config.json');

    receiver = await startHere(lasting, inClone(dir));
    t.is(receiver.log.find(({ msg }) => msg === 'recovered')?.read, 0, 'a restart reads no file again');
    t.is((await publish(left)).text, answer.text);
    t.is(committedIds(dir)[0], left.id);
    const again = await publish(data);
    t.deepEqual([again.status, again.text], [200, text]);
    const change = await updateOf(json);
    const refused = await receiver.post('article.updated', change);
    t.is(refused.status, 503);
    t.true(refused.json.error.includes(`git has it as ${path}: the rename is yours to commit`));
    t.is(gitIn(dir, 'status', '--porcelain', 'content'), `RM ${path} -> ${renamed}\n`);
    gitIn(dir, 'commit', '--quiet', '-am', 'Renamed');
    t.is((await receiver.post('article.updated', change)).status, 200);
    t.is(gitIn(dir, 'log', '-1', '--format=%s'), 'Renamed\n');
  },
);
