import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { contentOf } from '../../../src/app/content/content.js';
import { contentPrefix, foldersOf } from '../../../src/app/content/folders.js';
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
import { tempDir } from '../../support/temp-dir.js';

const OLD = 'https://old.example/blog';
const NEW = 'https://new.example';

/** The kinds of sites, with the place of a new article. */
const KINDS = { plain: 'articles/:slug.md', hugo: 'posts/:slug.md' } as const;
type Kind = keyof typeof KINDS;

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

interface Site {
  readonly dir: string;
  /** The files of the articles `one`, `two`, `three` and, edited by a person, `edited`; relative to the site. */
  readonly files: Readonly<Record<string, string>>;
  readonly own: string;
  read(siteUrl: string): Promise<Record<string, StoredArticle>>;
  setUrl(siteUrl: string): void;
}

const OWN_TEXT = `---\ntitle: My own\ndate: 2026-01-02\nlink: ${OLD}/articles/one/\n---\nSee ${OLD}/articles/one/\n`;

/** A site in which three articles are as they came, one was edited, and one was written by a person; all is committed. */
async function siteOf(t: ExecutionContext, kind: Kind, git: boolean | object = true): Promise<Site> {
  const dir = tempDir(t);
  const setUrl = (siteUrl: string) =>
    fs.writeFileSync(
      join(dir, 'pressmark.config.json'),
      JSON.stringify({
        siteUrl,
        output: 'public',
        git,
        articles: { file: KINDS[kind], permalink: '/articles/:slug/' },
        ...(kind !== 'plain' && { generator: kind, build: 'true' }),
      }),
    );
  setUrl(OLD);
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\npublic/\n');
  if (kind === 'hugo') fs.writeFileSync(join(dir, 'hugo.toml'), `baseURL = '${OLD}/'\n`);
  const settingsAt = (siteUrl: string) => loadSettings(dir, {}, { PRESSMARK_SITE_URL: siteUrl });
  const settings = await settingsAt(OLD);
  const { format, root, layout } = contentOf(settings);
  const paths: Record<string, string> = {};
  for (const id of ['one', 'two', 'three', 'edited']) {
    const path = layout.path(id, DATE);
    paths[id] = path;
    const { text } = format.encode(articleOf(id), path);
    write(join(root, path), id === 'edited' ? `${text}My words.\n` : text);
  }
  const own = join(root, 'posts/own.md');
  write(own, OWN_TEXT);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  return {
    dir,
    files: Object.fromEntries(
      Object.entries(paths).map(([id, path]) => [id, `${contentPrefix(settings)}${path}`]),
    ),
    own,
    setUrl,
    read: async (siteUrl) => {
      const now = contentOf(await settingsAt(siteUrl));
      return Object.fromEntries(
        Object.entries(paths).map(([id, path]) => [
          id,
          now.format.decode(fs.readFileSync(join(root, path), 'utf8'), path),
        ]),
      );
    },
  };
}

function write(path: string, text: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
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
  const lists = join(foldersOf(await loadSettings(site.dir)).stateDir, 'moved');
  const rows = fs.readFileSync(join(lists, 'urls.csv'), 'utf8').split('\n').toSorted();
  t.deepEqual(
    rows,
    [
      '',
      ...Object.entries(site.files).map(
        ([id, file]) => `"${file}","${OLD}/articles/${id}/","${NEW}/articles/${id}/"`,
      ),
      'file,old,new',
    ].toSorted(),
  );
  const redirects = fs.readFileSync(join(lists, '_redirects'), 'utf8');
  t.true(redirects.includes(`/blog/articles/one/ ${NEW}/articles/one/ 301\n`), redirects);
}

for (const kind of Object.keys(KINDS) as Kind[])
  test(`${kind}: all articles move in one commit, edits stay edits, what people wrote stays`, async (t) => {
    const site = await siteOf(t, kind);
    const { dir, files } = site;
    const before = await site.read(OLD);
    const text = () => fs.readFileSync(join(dir, files.one ?? ''), 'utf8');
    const untouched = text();
    fs.writeFileSync(join(dir, 'notes.txt'), 'mine');
    gitIn(dir, 'add', 'notes.txt');

    const dry = await move(dir);
    t.is(dry.code, 0, dry.stderr);
    t.regex(
      dry.stdout,
      /^https:\/\/old\.example\/blog\/articles\/one\/ → https:\/\/new\.example\/articles\/one\/$/m,
    );
    t.regex(dry.stdout, /^4 articles\nNothing was changed\. Add --yes/m);
    t.is(text(), untouched);
    t.deepEqual(commitsOf(dir), ['First']);

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
  const site = await siteOf(t, 'plain');
  const { dir } = site;
  site.setUrl(NEW);
  for (const command of ['start', 'build', 'doctor', 'status']) {
    const { code, stdout, stderr } = await runHere([command, '--dir', dir], {
      PRESSMARK_SECRET: SECRET,
      PORT: '0',
    });
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
  const site = await siteOf(t, 'plain', false);
  const before = await site.read(OLD);
  const { code, stdout } = await move(site.dir, '--yes');
  t.is(code, 0);
  t.regex(stdout, /^Nothing was committed\.$/m);
  t.deepEqual(commitsOf(site.dir), ['First']);
  await checkMoved(t, site, before);

  const { dir } = await siteOf(t, 'plain', { sign: true });
  const isSigned = withSigner(dir, tempDir(t));
  t.is((await move(dir, '--yes')).code, 0);
  t.true(isSigned());
});

test('an uncommitted edit is not moved into the commit: the move waits until it is committed', async (t) => {
  const site = await siteOf(t, 'plain');
  const { dir, files } = site;
  fs.appendFileSync(join(dir, files.two ?? ''), 'Unfinished.\n');
  const { code, stderr } = await move(dir, '--yes');
  t.is(code, 2);
  t.regex(
    stderr,
    /nothing was moved: content\/articles\/two\.md has changes that no commit has; commit them first/,
  );
  t.is((await site.read(OLD)).one?.article.url, `${OLD}/articles/one/`);
  t.deepEqual(commitsOf(dir), ['First']);
});

test('an article that was published by an earlier permalink pattern keeps its path', async (t) => {
  const { dir, files } = await siteOf(t, 'plain');
  for (const [file = '', before, after] of [
    [files.one, `${OLD}/articles/one/`, `${OLD}/one/`],
    ['pressmark.config.json', '/articles/:slug/', '/:slug/'],
  ] as const)
    fs.writeFileSync(join(dir, file), fs.readFileSync(join(dir, file), 'utf8').replace(before, after));
  const { stdout } = await move(dir);
  for (const path of ['/one/', '/articles/two/'])
    t.true(stdout.includes(`${OLD}${path} → ${NEW}${path}\n`), stdout);
});

test('articles of two old addresses move together, and two articles never get one URL', async (t) => {
  const { dir, files } = await siteOf(t, 'plain');
  const text = fs.readFileSync(join(dir, files.one ?? ''), 'utf8');
  fs.writeFileSync(join(dir, files.one ?? ''), text.replace(`url: "${OLD}`, 'url: "https://older.example'));
  gitIn(dir, 'commit', '--quiet', '-am', 'Edit');
  const { stdout } = await move(dir);
  t.regex(stdout, /^https:\/\/older\.example\/articles\/one\/ → https:\/\/new\.example\/articles\/one\/$/m);
  t.regex(
    stdout,
    /^https:\/\/old\.example\/blog\/articles\/two\/ → https:\/\/new\.example\/articles\/two\/$/m,
  );

  gitIn(dir, 'revert', '--no-edit', 'HEAD');
  write(
    join(dir, 'content/there.md'),
    text.replace(/^id: .*$/m, 'id: there').replace(`url: "${OLD}`, `url: "${NEW}`),
  );
  const { code, stderr } = await move(dir, '--yes');
  t.is(code, 2);
  t.regex(stderr, /nothing was moved: .* would both have the URL https:\/\/new\.example\/articles\/one\//);
});

test('killed when 2 of 4 files are written: running it again ends the move, and leaves those two for a person to commit', async (t) => {
  const site = await siteOf(t, 'plain');
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
  const left = moved.map(([id]) => site.files[id] ?? '').toSorted();
  t.deepEqual(JSON.parse(again.stdout).left.toSorted(), left);
  t.is(gitIn(dir, 'status', '--porcelain'), left.map((file) => ` M ${file}\n`).join(''));
});

test('a base path that is dropped is a change of the address for a generator, whose files pin the path below it', async (t) => {
  const site = await siteOf(t, 'hugo');
  site.setUrl('https://old.example');
  const { code, stdout } = await runHere(['status', '--dir', site.dir]);
  t.is(code, 1);
  t.regex(stdout, /4 articles have URLs that are not at the site’s address https:\/\/old\.example, such as/);
  const { stdout: dry } = await runHere(['move', 'https://old.example', '--dir', site.dir]);
  t.regex(dry, /^https:\/\/old\.example\/blog\/articles\/one\/ → https:\/\/old\.example\/articles\/one\/$/m);
});
