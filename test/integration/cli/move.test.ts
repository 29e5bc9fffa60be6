import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { planMove } from '../../../src/app/articles/move.js';
import { contentOf } from '../../../src/app/content/content.js';
import type { Article } from '../../../src/article/article.js';
import type { StoredArticle } from '../../../src/article/stored-article.js';
import { loadSettings } from '../../../src/config/load.js';
import { gitIn } from '../../support/clones.js';
import { withSigner } from '../../support/commit-signer.js';
import { article as delivered } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { runHere } from '../../support/in-process.js';
import { bareEnvironment, PROGRAM } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir, writeFiles } from '../../support/temp-dir.js';

const OLD = 'https://old.example/blog';
const NEW = 'https://new.example';

const DATE = '2026-03-04T05:06:07Z';

function articleOf(id: string): Omit<Article, 'revision'> {
  return {
    id,
    title: `About ${id}`,
    description: 'With "url": in it',
    date: DATE,
    updated: null,
    author: 'Ada Finch',
    tags: ['soil'],
    keyword: '',
    image: null,
    slug: id,
    url: `${OLD}/articles/${id}/`,
    extra: {},
    jsonLd: `<script type="application/ld+json">{"url":"${OLD}/articles/${id}/"}</script>`,
    contentHtml: `<p>Text of ${id}, see ${OLD}/articles/${id}/</p>`,
    body: `Text of ${id}, see ${OLD}/articles/${id}/\n`,
  };
}

type Site = Awaited<ReturnType<typeof siteOf>>;

const OWN_TEXT = `---\ntitle: My own\ndate: 2026-01-02\nlink: ${OLD}/articles/one/\n---\nSee ${OLD}/articles/one/\n`;

const IDS = ['one', 'two', 'three', 'edited'];
const fileOf = (id: string) => `content/articles/${id}.md`;

/** A site in which three articles are as they came, one was edited, and one was written by a person. */
async function siteOf(t: ExecutionContext, over: Readonly<Record<string, unknown>> = {}) {
  const dir = tempDir(t);
  const setUrl = (siteUrl: string) =>
    fs.writeFileSync(
      join(dir, 'pressmark.config.json'),
      JSON.stringify({
        siteUrl,
        articles: { file: 'articles/:slug.md', permalink: '/articles/:slug/' },
        ...over,
      }),
    );
  setUrl(OLD);
  const contentAt = async (PRESSMARK_SITE_URL: string) =>
    contentOf(await loadSettings(dir, {}, { PRESSMARK_SITE_URL }));
  const { format } = await contentAt(OLD);
  for (const id of IDS) {
    const { text } = format.encode(articleOf(id), `articles/${id}.md`);
    writeFiles(dir, { [fileOf(id)]: id === 'edited' ? `${text}My words.\n` : text });
  }
  const own = join(dir, 'content/posts/own.md');
  writeFiles(dir, { 'content/posts/own.md': OWN_TEXT });
  const edit = (file: string, from: string, to: string) => {
    const path = join(dir, file);
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(from, to));
  };
  const read = async (siteUrl: string): Promise<Record<string, StoredArticle>> => {
    const now = await contentAt(siteUrl);
    const textOf = (id: string) => fs.readFileSync(join(dir, fileOf(id)), 'utf8');
    return Object.fromEntries(IDS.map((id) => [id, now.format.decode(textOf(id), `articles/${id}.md`)]));
  };
  return { dir, own, setUrl, edit, read };
}

/** The same, with all of it committed. */
async function repositoryOf(t: ExecutionContext, over?: Readonly<Record<string, unknown>>): Promise<Site> {
  const site = await siteOf(t, over);
  fs.writeFileSync(join(site.dir, '.gitignore'), '.pressmark/\npublic/\n');
  gitIn(site.dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(site.dir, 'add', '.');
  gitIn(site.dir, 'commit', '--quiet', '-m', 'First');
  return site;
}

const commitsOf = (dir: string) => gitIn(dir, 'log', '--format=%s').trim().split('\n');
const move = (dir: string, ...args: string[]) => runHere(['move', NEW, ...args, '--dir', dir]);

/** Checks that all articles are at the new address, and what else they were. */
async function checkMoved(
  t: ExecutionContext,
  site: Site,
  before: Record<string, StoredArticle>,
): Promise<void> {
  const after = await site.read(NEW);
  for (const [id, { article, edited, address }] of Object.entries(after)) {
    const was = before[id];
    t.is(article.url, `${NEW}/articles/${id}/`);
    t.is(address, undefined, 'the file pins it');
    t.is(article.id, id);
    t.is(edited, id === 'edited');
    if (was === undefined) throw new Error(`${id} was not there before`);
    if (id !== 'edited') t.is(article.revision, was.article.revision);
    t.like(article, { body: was.article.body, jsonLd: was.article.jsonLd, title: was.article.title });
  }
  t.is(fs.readFileSync(site.own, 'utf8'), OWN_TEXT);
  const lists = join(site.dir, '.pressmark/moved');
  const rows = IDS.map((id) => `"${fileOf(id)}","${OLD}/articles/${id}/","${NEW}/articles/${id}/"`);
  t.deepEqual(
    fs.readFileSync(join(lists, 'urls.csv'), 'utf8').split('\n').toSorted(),
    ['', 'file,old,new', ...rows].toSorted(),
  );
  const redirects = fs.readFileSync(join(lists, '_redirects'), 'utf8');
  t.true(redirects.includes(`/blog/articles/one/ ${NEW}/articles/one/ 301\n`), redirects);
}

test('all articles move in one commit, edits stay edits, what people wrote stays', async (t) => {
  const site = await repositoryOf(t);
  const { dir } = site;
  const before = await site.read(OLD);
  fs.writeFileSync(join(dir, 'notes.txt'), 'mine');
  gitIn(dir, 'add', 'notes.txt');

  const dry = await move(dir);
  t.is(dry.code, 0, dry.stderr);
  t.regex(
    dry.stdout,
    /^https:\/\/old\.example\/blog\/articles\/one\/ → https:\/\/new\.example\/articles\/one\/$/m,
  );
  t.regex(dry.stdout, /^4 articles\nNothing was changed\. Add --yes/m);
  t.is(gitIn(dir, 'status', '--porcelain'), 'A  notes.txt\n');

  const done = await move(dir, '--yes');
  t.is(done.code, 0, done.stderr);
  t.regex(done.stdout, /Next: set siteUrl in the config to https:\/\/new\.example/);
  t.deepEqual(commitsOf(dir), [`Move: 4 articles to ${NEW}`, 'First']);
  t.is(gitIn(dir, 'status', '--porcelain'), 'A  notes.txt\n', 'what is staged stays staged');
  await checkMoved(t, site, before);
  const changed = gitIn(dir, 'diff', '--numstat', 'HEAD~1', 'HEAD').trim().split('\n');
  // url and digest of a file that nobody has edited; the url alone of one that somebody has
  t.deepEqual(changed.map((line) => line.split('\t').slice(0, 2).join()).toSorted(), [
    '1,1',
    '2,2',
    '2,2',
    '2,2',
  ]);

  const again = await move(dir, '--yes', '--json');
  t.like(JSON.parse(again.stdout), { urls: { length: 4 }, commit: null });
});

test('after a change of siteUrl start, build, doctor and status fail and name the way; a redelivery answers the new URL', async (t) => {
  const { dir, setUrl } = await siteOf(t, { git: false });
  setUrl(NEW);
  for (const command of ['start', 'build', 'doctor', 'status']) {
    const env = { PRESSMARK_SECRET: SECRET, PORT: '0' };
    const { code, stdout, stderr } = await runHere([command, '--dir', dir], env);
    t.is(code, ['start', 'build'].includes(command) ? 2 : 1, command);
    const said = `${stdout}${stderr}`;
    t.regex(said, /4 articles have URLs that are not at the site’s address https:\/\/new\.example/, command);
    t.regex(said, /pressmark move https:\/\/new\.example/, command);
  }
  t.false(fs.existsSync(join(dir, 'public')), 'nothing was built');
  t.is((await move(dir, '--yes')).code, 0);
  t.is((await runHere(['status', '--dir', dir])).code, 0);

  const receiver = await startHere(t, { dir, env: { PRESSMARK_SITE_URL: NEW } });
  const { status, json } = await receiver.post('article.published', delivered({ id: 'two', slug: 'two' }));
  t.deepEqual([status, json.id, json.url], [200, 'two', `${NEW}/articles/two/`]);
  t.is((await receiver.find(`${NEW}/articles/edited/`)).id, 'edited');

  const refused = await runHere(['move', 'https://third.example', '--yes', '--dir', dir]);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /nothing was moved: a receiver of this site is running \(process \d+, http:/);
});

test('with git: false the files are written, and the lists, and with git.sign the commit is signed', async (t) => {
  const site = await repositoryOf(t, { git: false });
  const before = await site.read(OLD);
  const { code, stdout } = await move(site.dir, '--yes');
  t.is(code, 0);
  t.regex(stdout, /^Nothing was committed\.$/m);
  t.deepEqual(commitsOf(site.dir), ['First']);
  await checkMoved(t, site, before);

  const { dir } = await repositoryOf(t, { git: { sign: true } });
  const isSigned = withSigner(dir, tempDir(t));
  t.is((await move(dir, '--yes')).code, 0);
  t.true(isSigned());
});

test('an uncommitted edit is not moved into the commit: the move waits until it is committed', async (t) => {
  const { dir, read } = await repositoryOf(t);
  fs.appendFileSync(join(dir, fileOf('two')), 'Unfinished.\n');
  const { code, stderr } = await move(dir, '--yes');
  t.is(code, 2);
  t.regex(stderr, /nothing was moved: content\/articles\/two\.md has uncommitted changes; commit them first/);
  t.is((await read(OLD)).one?.article.url, `${OLD}/articles/one/`);
  t.deepEqual(commitsOf(dir), ['First']);
});

test('articles of two old addresses move together, each keeps the path of an earlier permalink pattern, and two never get one URL', async (t) => {
  const moves = async (dir: string) =>
    new Map(planMove(await loadSettings(dir), NEW).map(({ old, new: url }) => [old, url]));
  const earlier = await siteOf(t);
  earlier.edit(fileOf('one'), `url: "${OLD}/articles/`, `url: "${OLD}/`);
  earlier.edit('pressmark.config.json', '/articles/:slug/', '/:slug/');
  const kept = await moves(earlier.dir);
  for (const path of ['/one/', '/articles/two/']) t.is(kept.get(`${OLD}${path}`), `${NEW}${path}`);

  const { dir, edit } = await siteOf(t);
  edit(fileOf('one'), `url: "${OLD}`, 'url: "https://older.example');
  const both = await moves(dir);
  t.is(both.get('https://older.example/articles/one/'), `${NEW}/articles/one/`);
  t.is(both.get(`${OLD}/articles/two/`), `${NEW}/articles/two/`);
  edit(fileOf('two'), `url: "${OLD}/articles/two/`, `url: "${NEW}/articles/one/`);
  await t.throwsAsync(moves(dir), {
    code: 'USAGE',
    message: /^nothing was moved: .* would both have the URL https:\/\/new\.example\/articles\/one\/$/,
  });
});

test('killed when 2 of 4 files are written: running it again ends the move, and leaves those two for a person to commit', async (t) => {
  const site = await repositoryOf(t);
  const { dir } = site;
  const before = await site.read(OLD);
  const faults = createFaults(t);
  faults.set({ call: 'rename', path: '/content/', kill: true, skip: 2, when: 'before' });
  const killed = spawnSync(
    process.execPath,
    ['--import', faults.options.preload ?? '', PROGRAM, 'move', NEW, '--yes', '--dir', dir],
    { env: { ...bareEnvironment(), ...faults.options.env } },
  );
  t.is(killed.signal, 'SIGKILL', killed.stderr.toString());
  const moved = Object.entries(await site.read(NEW)).filter(([, { article }]) => article.url.startsWith(NEW));
  t.is(moved.length, 2);
  const again = await move(dir, '--yes', '--json');
  t.is(again.code, 0, again.stderr);
  await checkMoved(t, site, before);
  t.deepEqual(commitsOf(dir), [`Move: 2 articles to ${NEW}`, 'First']);
  const left = moved.map(([id]) => fileOf(id)).toSorted();
  t.deepEqual(JSON.parse(again.stdout).left.toSorted(), left);
  t.is(gitIn(dir, 'status', '--porcelain'), left.map((file) => ` M ${file}\n`).join(''));
});

test('a base path that is dropped is a change of the address for a generator, whose files pin the path below it', async (t) => {
  const { dir, setUrl } = await siteOf(t, { generator: 'hugo', build: 'true', output: 'public', git: false });
  fs.writeFileSync(join(dir, 'hugo.toml'), `baseURL = '${OLD}/'\n`);
  setUrl('https://old.example');
  const { code, stdout } = await runHere(['status', '--dir', dir]);
  t.is(code, 1);
  t.regex(stdout, /4 articles have URLs that are not at the site’s address https:\/\/old\.example, such as/);
  const { stdout: dry } = await runHere(['move', 'https://old.example', '--dir', dir]);
  t.regex(dry, /^https:\/\/old\.example\/blog\/articles\/one\/ → https:\/\/old\.example\/articles\/one\/$/m);
});
