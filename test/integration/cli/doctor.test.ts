import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { examine } from '../../../src/app/doctor/doctor.js';
import type { Finding } from '../../../src/app/doctor/finding.js';
import { announceReceiver } from '../../../src/app/running-receivers.js';
import { draftOf } from '../../../src/article/article.js';
import { loadSettings } from '../../../src/config/load.js';
import { treeOf } from '../../support/content.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { encode } from '../../support/plain-files.js';
import { SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { folderWith, tempDir, writeFiles } from '../../support/temp-dir.js';

// Every examination opens a log, which is written out at the end of the process.
process.setMaxListeners(50);

const FINE = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };

/** What doctor finds, without a process of its own. */
async function findingsIn(dir: string, env: NodeJS.Dict<string> = FINE): Promise<Finding[]> {
  const { PATH } = process.env;
  return examine(await loadSettings(dir, {}, { PATH, HOME: dir, PORT: '0', ...env }));
}

const failures = (findings: Finding[]) => findings.filter(({ level }) => level === 'fail');
const about = (findings: Finding[], what: string) => findings.filter((finding) => finding.about === what);

test('doctor finds a missing and a weak secret, and a site URL that would not last or is on this machine', async (t) => {
  const dir = tempDir(t);
  const bare = await findingsIn(dir, {});
  t.is(about(bare, 'secret')[0]?.level, 'fail');
  t.is(about(bare, 'site URL')[0]?.level, 'fail');
  const weak = await findingsIn(dir, { ...FINE, PRESSMARK_SECRET: 'hunter2' });
  t.deepEqual(failures(weak), []);
  t.like(about(weak, 'secret'), [
    { level: 'warn', text: 'the secret is too short or too simple, and could be guessed' },
  ]);
  t.is(about(weak, 'site URL')[0]?.level, 'ok');
  t.deepEqual(
    [...bare, ...weak].filter(({ level, fix }) => level !== 'ok' && fix === undefined),
    [],
    'each finding says what to do',
  );
  const ofUrl = async (url: string) =>
    about(await findingsIn(dir, { ...FINE, PRESSMARK_SITE_URL: url }), 'site URL')[0];
  for (const url of ['http://localhost:8787', 'http://garden.localhost', 'http://127.0.0.1', 'http://[::1]'])
    t.like(await ofUrl(url), { level: 'warn', text: `${url} is this machine` });
  for (const url of ['https://localhost.garden.blog', 'https://127.garden.blog'])
    t.like(await ofUrl(url), { level: 'ok', text: url });
});

test('doctor says that a receiver which runs does not answer', async (t) => {
  const dir = tempDir(t);
  const port = await freePort();
  const receiver = { pid: 17, port, since: '', commits: true, siteUrl: SITE_URL, preview: false };
  t.teardown(await announceReceiver(join(dir, '.pressmark'), receiver));
  const text = `this site’s receiver (process 17) does not answer on port ${port}`;
  t.like(about(await findingsIn(dir), 'port'), [{ level: 'fail', text }]);
});

test('doctor says what a receiver that cannot store says, and finds the address of each receiver', async (t) => {
  const dir = tempDir(t);
  const error = 'articles cannot be stored: no space is left';
  const { origin } = await startEndpoint(t, reply(503, { ok: false, error }));
  const port = Number(new URL(origin).port);
  // By its number: of several addresses, a busy process gives the first one up after 250 ms.
  const host = '127.0.0.1';
  const receiver = { pid: 17, port, host, commits: true, siteUrl: SITE_URL, preview: false };
  const announce = async (since: string, siteUrl = SITE_URL) =>
    t.teardown(await announceReceiver(join(dir, '.pressmark'), { ...receiver, since, siteUrl }));
  await announce('2026-01-02T00:00:00Z');
  const text = `this site’s receiver on port ${port} (process 17) says: ${error}`;
  const findings = await findingsIn(dir);
  t.like(about(findings, 'port'), [{ level: 'fail', text }]);
  t.like(about(findings, 'site URL'), [{ level: 'ok' }]);
  const without = about(await findingsIn(dir, { ...FINE, PRESSMARK_SITE_URL: undefined }), 'site URL');
  t.is(without[0]?.level, 'warn', 'the environment of the receiver may have it');
  await announce('2026-01-01T00:00:00Z', 'https://old.example.net');
  const [ofAddress] = about(await findingsIn(dir), 'site URL');
  t.is(ofAddress?.level, 'fail');
  t.regex(ofAddress?.text ?? '', /get the address https:\/\/old\.example\.net, with which the receiver/);
});

test('doctor names each folder that cannot be used or made, as start and build do', async (t) => {
  const config = JSON.stringify({ content: 'src/posts' });
  const dir = folderWith(t, { 'pressmark.config.json': config, src: '', '.pressmark': '' });
  fs.symlinkSync('/nowhere', join(dir, 'public'));
  const texts = about(await findingsIn(dir), 'directory').map(({ text }) => text.replaceAll(dir, '.'));
  t.deepEqual(texts, [
    './src is not a folder, and articles go to ./src/posts',
    './.pressmark is not a folder, and the receiver’s own files go to that folder',
    './public is not a folder, and pages go to that folder',
  ]);
});

/** The text of an article's file. */
const fileWith = (id: string, url: string) =>
  encode({ ...draftOf(article({ id })), slug: id, url, updated: null }).text;

test('doctor finds duplicate ids and URLs and malformed files, and changes nothing', async (t) => {
  const text = fileWith('a', `${SITE_URL}/articles/a/`);
  const dir = folderWith(t, { 'content/articles/a.md': text });
  t.like(about(await findingsIn(dir), 'articles'), [
    { level: 'ok', text: '1, each with a unique id and URL' },
  ]);
  writeFiles(dir, { 'content/articles/copy.md': text, 'content/broken.md': '---\ntitle: "x\n---\n' });
  const before = treeOf(dir);
  const findings = await findingsIn(dir);
  t.deepEqual(treeOf(dir), before);
  const texts = about(findings, 'articles').map(({ text }) => text);
  t.is(failures(findings).length, 3);
  t.regex(texts[2] ?? '', /^content\/broken\.md is malformed, line \d/);
  t.is(texts[0], '2 files have the id "a": articles/a.md, articles/copy.md');
  t.is(texts[1], '2 files have the URL "https://garden.example/articles/a": articles/a.md, articles/copy.md');
});

test('doctor names an article that no lookup finds, and one that can have no page', async (t) => {
  const urls = { lost: 'https://127.1/a/', hidden: `${SITE_URL}/.x/a/` };
  const dir = folderWith(t, {
    'content/articles/lost.md': fileWith('lost', urls.lost),
    'content/articles/hidden.md': fileWith('hidden', urls.hidden),
  });
  t.deepEqual(
    about(await findingsIn(dir), 'articles').map(({ level, text }) => [level, text]),
    [
      ['fail', `articles/hidden.md has no page: no file can have the address ${urls.hidden}`],
      ['fail', `no lookup finds articles/lost.md: its URL is ${urls.lost}`],
    ],
  );
});

const PAGES_ONLY = `export default { name: 'pages-only', pages(host) {
  for (const name of ['page.content', 'page.head', 'page.html']) host.addFilter(name, (value) => value);
  host.shortcode('one', () => '');
} };`;

for (const [what, files, findings] of [
  [
    'settings of a plugin that is gone',
    { 'pressmark.settings.json': '{"plugins":{"gone":{"a":1}}}' },
    ['warn: pressmark.settings.json has settings for the plugin "gone", which is not loaded'],
  ],
  [
    'a plugin that cannot be set up',
    {
      'plugins/broken.mjs': "export default { name: 'keyless', receiver() { throw new Error('no key'); } };",
    },
    ['fail: plugin keyless (plugins/broken.mjs) could not be set up: no key'],
  ],
  [
    'an adapter where the site has its own pages, as the start does',
    {
      'plugins/x.mjs': `export default { name: 'x', receiver(host) {
        host.adapter({ path: '/tags/bees', verify: () => true, routes: { 'GET /a': () => 1 } });
      } };`,
    },
    [
      'fail: plugin x: its adapter has the path /tags/bees, which is that of the pages of the site; choose another path',
    ],
  ],
  ['nothing of a plugin’s pages where all of them run', { 'plugins/pages-only.mjs': PAGES_ONLY }, []],
  [
    'a plugin’s pages where nothing makes pages',
    { 'plugins/pages-only.mjs': PAGES_ONLY, 'pressmark.config.json': '{"site":false}' },
    [
      'warn: pages(host) of plugin pages-only (plugins/pages-only.mjs) does not run: site is false in the config',
    ],
  ],
  [
    'what of a plugin’s pages does not run in the site of another generator',
    { 'plugins/pages-only.mjs': PAGES_ONLY, 'pressmark.config.json': '{"generator":"hugo"}' },
    [
      'warn: page.content, shortcode of plugin pages-only (plugins/pages-only.mjs) do not run: hugo makes the pages of this site; page.head, page.html and files run after its build',
    ],
  ],
] as const)
  test(`doctor names ${what}`, async (t) => {
    const found = about(await findingsIn(folderWith(t, files)), 'plugins');
    t.deepEqual(
      found.map(({ level, text }) => `${level}: ${text}`),
      [...findings],
    );
  });

test('doctor reports on git: the branch, who commits, an ignored content folder, a secret that is not ignored', async (t) => {
  const dir = tempDir(t);
  t.like(about(await findingsIn(dir), 'git'), [
    {
      level: 'warn',
      text: 'articles are not committed: the site is not in a git work tree',
      fix: 'run git init in the site’s folder (install git, if it is missing), or set git: false in the config',
    },
  ]);
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'trunk', dir]);
  fs.writeFileSync(join(dir, '.gitignore'), '.env\n');
  const fine = await findingsIn(dir);
  t.deepEqual(failures(fine), []);
  t.deepEqual(
    about(fine, 'git').map(({ level, text }) => [level, text]),
    [
      ['ok', 'articles are committed to trunk'],
      ['ok', 'commits are by Pressmark <pressmark@localhost>'],
    ],
  );
  fs.writeFileSync(join(dir, '.env'), '', { mode: 0o600 });
  fs.writeFileSync(join(dir, '.gitignore'), 'content/\n');
  const wrong = await findingsIn(dir);
  t.deepEqual(
    about(wrong, 'git').map(({ level }) => level),
    ['ok', 'warn', 'ok', 'fail'],
  );
  fs.writeFileSync(join(dir, '.gitignore'), '.env\n');
  execFileSync('git', ['-C', dir, 'add', '--force', '.env']);
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    '{"git":{"author":{"name":"Ada","email":"ada@garden.example"}}}',
  );
  t.regex(
    about(await findingsIn(dir), 'git')
      .map(({ text }) => text)
      .join('\n'),
    /^commits are by Ada <ada@garden\.example>$/m,
  );
  for (const config of ['{}', '{"git":false}']) {
    fs.writeFileSync(join(dir, 'pressmark.config.json'), config);
    const [tracked, ...others] = failures(about(await findingsIn(dir), 'git'));
    t.deepEqual([tracked?.text, others], ['.env, which holds the secret, is in the repository', []], config);
    t.regex(tracked?.fix ?? '', /git rm --cached \.env.* new secret/, config);
  }
});

test('doctor calls a detached HEAD a failure where answers wait for the commit', async (t) => {
  const dir = tempDir(t);
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { stdio: 'ignore' });
  git('init');
  git('-c', 'user.name=O', '-c', 'user.email=o@localhost', 'commit', '--allow-empty', '--message=First');
  git('checkout', '--detach');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{"durability":"commit"}');
  const found = about(await findingsIn(dir), 'git');
  t.is(found.find(({ text }) => text.startsWith('commits wait for HEAD'))?.level, 'fail');
});
