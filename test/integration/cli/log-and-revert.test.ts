import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { findArticle } from '../../../src/app/articles/find-article.js';
import { loadSettings } from '../../../src/config/load.js';
import { gitIn, settings } from '../../support/clones.js';
import { fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { launchHere, type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ENV = { PRESSMARK_SITE_URL: SITE_URL };

const folder = makeTempDir();
const dir = join(folder, 'site');
const git = (...args: string[]) => gitIn(dir, ...args);
let running: ReceiverHere | undefined;

/** A site with a repository and a receiver, for all tests of this file. */
test.serial.before(async () => {
  fs.mkdirSync(dir);
  git('init', '-q', '-b', 'main');
  configure(dir, { site: false });
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  git('config', 'user.name', 'Olga');
  git('config', 'user.email', 'olga@example.org');
  running = await launchHere(dir);
});
test.after.always(async () => {
  await running?.close();
  removeTempDir(folder);
});

function receiverOfSite(): ReceiverHere {
  if (running === undefined) throw new Error('the receiver has not started');
  return running;
}

function configure(site: string, config: object): void {
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
}

/** An article that was updated once, from `first` to `draft-<id>`; both are committed. */
async function updatedArticle(id: string, receiver = receiverOfSite()) {
  const data = article({ id, slug: id, featured_image_url: null });
  const { url } = (await receiver.post('article.published', data)).json;
  const file = fileOf(receiver.dir, id);
  const path = relative(receiver.dir, file);
  await untilCommitted(receiver.dir, path, 1); // an update waits for that no longer than two seconds
  const { revision_id: first } = await receiver.find(url);
  const request = update(
    { target_id: id, target_url: url, base_revision_id: first },
    { id: `draft-${id}`, title: 'Rewritten', tags: ['new'] },
  );
  const { status } = await receiver.post('article.updated', request);
  if (status !== 200) throw new Error(`update: ${status}`);
  await untilCommitted(receiver.dir, path, 2);
  return { id, url, first, last: `draft-${id}`, file, path };
}

/** The subjects of the commits of a file, the newest first. */
function subjects(site: string, path: string): string[] {
  const output = gitIn(site, 'log', '--format=%s', 'main', '--', path);
  return output.split('\n').filter((line) => line !== '');
}

/** The branch has a commit a moment before the index is free again. */
function untilCommitted(site: string, path: string, count: number): Promise<void> {
  return until(
    `${path} has ${count} commits, and the index is free`,
    () => subjects(site, path).length === count && !fs.existsSync(join(site, '.git', 'index.lock')),
  );
}

let ofClones: ReturnType<typeof updatedArticle> | undefined;
/** One that is reverted in clones alone. */
const articleOfClones = () => {
  ofClones ??= updatedArticle('wasps');
  return ofClones;
};

/** A clone of the site with other settings, in which no receiver runs. */
function cloneWith(name: string, config: object): string {
  const clone = join(folder, name);
  gitIn(folder, 'clone', '-q', dir, clone);
  gitIn(clone, 'config', 'user.name', 'Olga');
  gitIn(clone, 'config', 'user.email', 'olga@example.org');
  configure(clone, { site: false, ...config });
  return clone;
}

/** Edits an article's file; waits until the receiver knows. */
async function editByHand(file: string, url: string): Promise<void> {
  fs.appendFileSync(file, 'my words\n');
  await until('the edit is the article’s revision', async () =>
    (await receiverOfSite().find(url)).revision_id.startsWith('edit-'),
  );
}

test.serial('log shows the versions of an article; an edit that is not committed stands first', async (t) => {
  const { id, url, first, last, path, file } = await updatedArticle('bees');
  const json = await runHere(['log', id, '--dir', dir, '--json'], ENV);
  const { revisions, ...shown } = JSON.parse(json.stdout);
  t.like(shown, { id, url, file: path, revision: last, committed: true });
  t.like(revisions, [
    { revision: last, subject: 'Update: Rewritten', current: true, author: { name: 'Olga' } },
    { revision: first, subject: 'Publish: Keeping bees on a balcony', current: false },
  ]);
  const known = await loadSettings(dir, {}, ENV);
  const inContent = relative(join(dir, 'content'), file);
  for (const name of [id, url, `${url.replace(/\/$/, '')}#part`, path, file, inContent])
    t.is((await findArticle(known, name)).id, id, name);

  git('mv', path, 'content/moved.md');
  git('commit', '-qm', 'Move it');
  fs.appendFileSync(join(dir, 'content/moved.md'), 'my words\n');
  const { stdout } = await runHere(['log', 'moved', '--dir', dir], ENV);
  const lines = stdout.trimEnd().split('\n');
  t.deepEqual(lines.slice(0, 4), ['Rewritten', url, 'content/moved.md', '']);
  t.regex(lines[4] ?? '', /^\* edit-[0-9a-f]{32} +not committed$/);
  t.regex(lines[5] ?? '', /^ {2}draft-bees +\S+Z +Olga +Move it$/);
  t.is(lines.length, 8);
});

test.serial(
  'revert puts an earlier version back while the receiver runs; an update of the other one is stale',
  async (t) => {
    const receiver = receiverOfSite();
    const { id, url, first, path, file } = await updatedArticle('queens');
    const before = git('rev-parse', 'HEAD').trim();
    const { code, stdout, stderr } = await runHere(['revert', id, first, '--dir', dir], ENV);
    t.is(code, 0, stderr);
    t.regex(
      stdout,
      /^content\/articles\/2026\/11\/queens\.md has the content of rev-\w+ \(\S+Z\) again\nit was at draft-queens and is at revert-\w{24} now, commit \w{10}\n$/,
    );
    const target = await receiver.find(url);
    t.regex(target.revision_id, /^revert-/);
    t.is(target.title, 'Keeping bees on a balcony');
    const { article: now, edited } = readStored(file);
    t.false(edited);
    t.like(now, { id, url, image: null, tags: ['bees', 'city'], date: '2026-11-19T08:00:00Z' });
    t.is(
      git('log', '-1', '--format=%s %P%n%(trailers)', '--name-only'),
      `Revert: Keeping bees on a balcony ${before}\nArticle-Id: queens\nRevision-Id: ${target.revision_id}\n\n\n${path}\n`,
    );
    t.is(git('status', '--porcelain', '--', path), '');

    const over = { target_id: id, target_url: url };
    const stale = update({ ...over, base_revision_id: `draft-${id}` });
    t.is((await receiver.post('article.updated', stale)).status, 409);
    const fresh = update({ ...over, base_revision_id: target.revision_id });
    t.is((await receiver.post('article.updated', fresh)).status, 200);
  },
);

test.serial(
  'revert takes a commit’s name, refuses what is not there, and commits an edit first',
  async (t) => {
    const { id, url, first, last, path, file } = await updatedArticle('mites');
    const revert = (revision: string, ...flags: string[]) =>
      runHere(['revert', id, revision, ...flags, '--dir', dir], ENV);
    const refused = async (revision: string, code: number, words: string) => {
      const before = fs.readFileSync(file, 'utf8');
      const ended = await revert(revision);
      t.deepEqual([ended.code, ended.stderr], [code, `pressmark: ${words}\n`]);
      t.is(fs.readFileSync(file, 'utf8'), before);
    };
    await refused(last, 2, 'the article is at revision "draft-mites" already');
    await refused('nonsense', 1, `${path} has no revision "nonsense"; pressmark log shows those it has`);
    await editByHand(file, url);
    t.is((await revert(first)).code, 0);
    t.deepEqual(subjects(dir, path).slice(0, 3), [
      'Revert: Keeping bees on a balcony',
      'Edit: Rewritten',
      'Update: Rewritten',
    ]);

    // A person's words are a version like any other.
    const [, words = ''] = git('log', '--format=%H', '--', path).split('\n');
    const back = await revert(words.slice(0, 12), '--json');
    t.is(back.code, 0, back.stderr);
    t.is(git('rev-parse', 'HEAD').trim(), JSON.parse(back.stdout).commit);
    const { article: now } = readStored(file);
    t.true(now.body.endsWith('my words\n') && now.contentHtml.includes('my words'));
  },
);

test.serial('revert names its commit also where another one follows at once', async (t) => {
  const { id, first, path } = await articleOfClones();
  const clone = cloneWith('again', {});
  const bin = join(folder, 'bin');
  fs.mkdirSync(bin);
  // A git that commits the file once more as soon as the branch has the first commit.
  const script = `#!/bin/sh
PATH='${process.env.PATH}'
git "$@" || exit $?
case " $* " in *' pressmark: articles '*) mkdir '${bin}/done' 2>/dev/null || exit 0 ;; *) exit 0 ;; esac
exec >/dev/null
cd '${clone}' && export GIT_INDEX_FILE='${bin}/index'
git read-tree HEAD
blob=$({ git show 'HEAD:${path}'; echo more; } | git hash-object -w --stdin)
git update-index --cacheinfo "100644,$blob,${path}"
git update-ref HEAD "$(git commit-tree -p HEAD -m Again "$(git write-tree)")"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const env = { ...ENV, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = await runHere(['revert', id, first, '--dir', clone, '--json'], env);
  t.is(
    gitIn(clone, 'log', '-2', '--format=%H %s').replace(/^\w+/, ''),
    ` Again\n${JSON.parse(stdout).commit} Revert: Keeping bees on a balcony\n`,
  );
});

test.serial('revert says so in its commit, also where the commit goes to the remote first', async (t) => {
  const { id, url, first, path } = await articleOfClones();
  const remote = join(folder, 'remote.git');
  gitIn(folder, 'clone', '-q', '--bare', dir, remote);
  const clone = cloneWith('push', settings());
  gitIn(clone, 'remote', 'set-url', 'origin', remote);
  const env = { ...ENV, HOME: clone };
  const receiver = await startHere(t, { dir: clone, env: { HOME: clone, GIT_CONFIG_NOSYSTEM: '1' } });
  const { code, stdout, stderr } = await runHere(['revert', id, first, '--dir', clone, '--json'], env);
  t.is(code, 0, stderr);
  const { commit, revision } = JSON.parse(stdout) as { commit: string; revision: string };
  t.is(gitIn(remote, 'log', '-1', '--format=%H %s'), `${commit} Revert: Keeping bees on a balcony\n`);
  t.is(gitIn(remote, 'show', '--format=', '--name-only', 'main'), `${path}\n`);
  t.is((await receiver.find(url)).revision_id, revision);
});
