import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { findArticle } from '../../../src/app/articles/find-article.js';
import { loadSettings } from '../../../src/config/load.js';
import { gitIn, settings, tipOf } from '../../support/clones.js';
import { readStored } from '../../support/content.js';
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
const ID = 'bees';
const PATH_IN_SITE = 'content/articles/2026/11/bees.md';
const file = join(dir, PATH_IN_SITE);
/** Of the update that came after the first version. */
const LAST = 'draft-bees';

let running: { readonly receiver: ReceiverHere; readonly url: string; readonly first: string } | undefined;
function version() {
  if (running === undefined) throw new Error('the receiver has not started');
  return running;
}

function configure(site: string, config: object): void {
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
}

/** Waits until a delivery is committed and the index is free again, which is a moment later. */
async function committed<T>(deliver: () => Promise<T>): Promise<T> {
  const tip = tipOf(join(dir, '.git'));
  const answer = await deliver();
  await until(
    'it is committed',
    () => tipOf(join(dir, '.git')) !== tip && !fs.existsSync(join(dir, '.git/index.lock')),
  );
  return answer;
}

/** Updates the article at a revision. */
const updateTo = (
  { url, receiver }: ReturnType<typeof version>,
  base: string,
  over: { id: string; title: string },
) =>
  receiver.post(
    'article.updated',
    update({ target_id: ID, target_url: url, base_revision_id: base }, { ...over, tags: ['new'] }),
  );

/** A site with a repository, a receiver, and an article that was updated once, for all tests of this file, which go on with it. */
test.serial.before(async () => {
  fs.mkdirSync(dir);
  git('init', '-q', '-b', 'main');
  configure(dir, { site: false });
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  git('config', 'user.name', 'Olga');
  git('config', 'user.email', 'olga@example.org');
  const receiver = await launchHere(dir);
  running = { receiver, url: '', first: '' };
  const data = article({ id: ID, slug: ID, featured_image_url: null });
  const { url } = (await committed(() => receiver.post('article.published', data))).json;
  const { revision_id: first } = await receiver.find(url);
  const now = { receiver, url, first };
  running = now;
  await committed(() => updateTo(now, first, { id: LAST, title: 'Rewritten' }));
});
test.after.always(async () => {
  await running?.receiver.close();
  removeTempDir(folder);
});

/** A clone of the site with other settings, in which no receiver runs. */
function cloneWith(name: string, config: object): string {
  const clone = join(folder, name);
  gitIn(folder, 'clone', '-q', dir, clone);
  gitIn(clone, 'config', 'user.name', 'Olga');
  gitIn(clone, 'config', 'user.email', 'olga@example.org');
  configure(clone, { site: false, ...config });
  return clone;
}

test.serial('log shows the versions of an article, by whatever name it is asked for', async (t) => {
  const { url, first } = version();
  const json = await runHere(['log', ID, '--dir', dir, '--json'], ENV);
  const { revisions, ...shown } = JSON.parse(json.stdout);
  t.like(shown, { id: ID, url, file: PATH_IN_SITE, revision: LAST, committed: true });
  t.like(revisions, [
    { revision: LAST, subject: 'Update: Rewritten', current: true, author: { name: 'Olga' } },
    { revision: first, subject: 'Publish: Keeping bees on a balcony', current: false },
  ]);
  const known = await loadSettings(dir, {}, ENV);
  const inContent = relative(join(dir, 'content'), file);
  for (const name of [ID, url, `${url.replace(/\/$/, '')}#part`, PATH_IN_SITE, file, inContent])
    t.is((await findArticle(known, name)).id, ID, name);
});

test.serial(
  'revert puts an earlier version back while the receiver runs; an update of the other one is stale',
  async (t) => {
    const { receiver, url, first } = version();
    const before = git('rev-parse', 'HEAD').trim();
    const { code, stdout, stderr } = await runHere(['revert', ID, first, '--dir', dir], ENV);
    t.is(code, 0, stderr);
    t.regex(
      stdout,
      /^content\/articles\/2026\/11\/bees\.md has the content of rev-\w+ \(\S+Z\) again\nit was at draft-bees and is at revert-\w{24} now, commit \w{10}\n$/,
    );
    const target = await receiver.find(url);
    t.regex(target.revision_id, /^revert-/);
    t.is(target.title, 'Keeping bees on a balcony');
    const { article: now, edited } = readStored(file);
    t.false(edited);
    t.like(now, { id: ID, url, image: null, tags: ['bees', 'city'], date: '2026-11-19T08:00:00Z' });
    t.is(
      git('log', '-1', '--format=%s %P%n%(trailers)', '--name-only'),
      `Revert: Keeping bees on a balcony ${before}\nArticle-Id: bees\nRevision-Id: ${target.revision_id}\n\n\n${PATH_IN_SITE}\n`,
    );
    t.is(git('status', '--porcelain', '--', PATH_IN_SITE), '');

    const draft = { id: 'draft-fresh', title: 'Fresh' };
    t.is((await updateTo(version(), LAST, draft)).status, 409);
    t.is((await committed(() => updateTo(version(), target.revision_id, draft))).status, 200);
  },
);

test.serial(
  'revert takes a commit’s name, refuses what is not there, and commits an edit first',
  async (t) => {
    const { receiver, url, first } = version();
    const revert = (revision: string, ...flags: string[]) =>
      runHere(['revert', ID, revision, ...flags, '--dir', dir], ENV);
    const before = fs.readFileSync(file, 'utf8');
    const { revision_id: now, title } = await receiver.find(url);
    for (const [revision, code, words] of [
      [now, 2, `the article is at revision "${now}" already`],
      ['nonsense', 1, `${PATH_IN_SITE} has no revision "nonsense"; pressmark log shows those it has`],
    ] as const) {
      const ended = await revert(revision);
      t.deepEqual([ended.code, ended.stderr], [code, `pressmark: ${words}\n`]);
    }
    t.is(fs.readFileSync(file, 'utf8'), before);
    fs.appendFileSync(file, 'my words\n');
    await until('the edit is the article’s revision', async () =>
      (await receiver.find(url)).revision_id.startsWith('edit-'),
    );
    t.is((await revert(first)).code, 0);
    t.is(
      git('log', '-3', '--format=%s', '--', PATH_IN_SITE),
      `Revert: Keeping bees on a balcony\nEdit: ${title}\nUpdate: ${title}\n`,
    );

    // A person's words are a version like any other.
    const [, words = ''] = git('log', '-2', '--format=%H', '--', PATH_IN_SITE).split('\n');
    const back = await revert(words.slice(0, 12), '--json');
    t.is(back.code, 0, back.stderr);
    t.is(git('rev-parse', 'HEAD').trim(), JSON.parse(back.stdout).commit);
    const { body, contentHtml } = readStored(file).article;
    t.true(body.endsWith('my words\n') && contentHtml.includes('my words'));
  },
);

test.serial('revert names its commit also where another one follows at once', async (t) => {
  const { first } = version();
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
blob=$({ git show 'HEAD:${PATH_IN_SITE}'; echo more; } | git hash-object -w --stdin)
git update-index --cacheinfo "100644,$blob,${PATH_IN_SITE}"
git update-ref HEAD "$(git commit-tree -p HEAD -m Again "$(git write-tree)")"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const env = { ...ENV, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = await runHere(['revert', ID, first, '--dir', clone, '--json'], env);
  t.is(
    gitIn(clone, 'log', '-2', '--format=%H %s').replace(/^\w+/, ''),
    ` Again\n${JSON.parse(stdout).commit} Revert: Keeping bees on a balcony\n`,
  );
});

test.serial('revert restores the text of an expired article, whose URL no update can name', async (t) => {
  const { first } = version();
  const clone = cloneWith('expired', {});
  const path = join(clone, PATH_IN_SITE);
  fs.writeFileSync(
    path,
    fs.readFileSync(path, 'utf8').replace('---\n', '---\nexpiryDate: 2026-01-01T00:00:00Z\n'),
  );
  const { code, stderr } = await runHere(['revert', ID, first, '--dir', clone, '--json'], ENV);
  t.is(code, 0, stderr);
  const { article: now, publication } = readStored(path);
  t.is(now.title, 'Keeping bees on a balcony');
  t.like(publication, { kind: 'dated', until: Date.parse('2026-01-01T00:00:00Z') });
});

test.serial('revert says so in its commit, also where the commit goes to the remote first', async (t) => {
  const { url, first } = version();
  const remote = join(folder, 'remote.git');
  gitIn(folder, 'clone', '-q', '--bare', dir, remote);
  const clone = cloneWith('push', settings());
  gitIn(clone, 'remote', 'set-url', 'origin', remote);
  const env = { ...ENV, HOME: clone };
  const receiver = await startHere(t, { dir: clone, env: { HOME: clone, GIT_CONFIG_NOSYSTEM: '1' } });
  const { code, stdout, stderr } = await runHere(['revert', ID, first, '--dir', clone, '--json'], env);
  t.is(code, 0, stderr);
  const { commit, revision } = JSON.parse(stdout) as { commit: string; revision: string };
  t.is(gitIn(remote, 'log', '-1', '--format=%H %s'), `${commit} Revert: Keeping bees on a balcony\n`);
  t.is(gitIn(remote, 'show', '--format=', '--name-only', 'main'), `${PATH_IN_SITE}\n`);
  t.is((await receiver.find(url)).revision_id, revision);
});

test.serial(
  'log shows an edit that is not committed first, and the versions before a file was moved',
  async (t) => {
    const { receiver, url } = version();
    const { revision_id: moved, title } = await receiver.find(url);
    git('mv', PATH_IN_SITE, 'content/moved.md');
    git('commit', '-qm', 'Move it');
    fs.appendFileSync(join(dir, 'content/moved.md'), 'more words\n');
    const { stdout } = await runHere(['log', 'moved', '--dir', dir], ENV);
    const lines = stdout.trimEnd().split('\n');
    t.deepEqual(lines.slice(0, 4), [title, url, 'content/moved.md', '']);
    t.regex(lines[4] ?? '', /^\* edit-[0-9a-f]{32} +not committed$/);
    t.regex(lines[5] ?? '', new RegExp(`^ {2}${moved} +\\S+Z +Olga +Move it$`));
    t.regex(
      lines.slice(6).join('\n'),
      /^ {2}(?:draft-bees|rev-\w+) +\S+Z +Olga +(?:Update: Rewritten|Publish: .*)$/m,
    );
  },
);
