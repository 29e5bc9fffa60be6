import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { examine } from '../../../src/app/doctor/doctor.js';
import type { Finding } from '../../../src/app/doctor/finding.js';
import { draftOf } from '../../../src/article/article.js';
import { loadSettings } from '../../../src/config/load.js';
import { treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { encode } from '../../support/plain-files.js';
import { SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { withPlugins } from '../../support/with-plugins.js';

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

test('doctor finds a missing and a weak secret, and a site URL that would not last', async (t) => {
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
});

test('doctor finds duplicate ids and URLs and malformed files, and changes nothing', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'content/articles');
  fs.mkdirSync(folder, { recursive: true });
  const url = `${SITE_URL}/articles/a/`;
  const { text } = encode({ ...draftOf(article({ id: 'a' })), slug: 'a', url, updated: null });
  fs.writeFileSync(join(folder, 'a.md'), text);
  t.like(about(await findingsIn(dir), 'articles'), [
    { level: 'ok', text: '1, each with a unique id and URL' },
  ]);
  fs.writeFileSync(join(folder, 'copy.md'), text);
  fs.writeFileSync(join(dir, 'content/broken.md'), '---\ntitle: "x\n---\n');
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
  const dir = tempDir(t);
  const folder = join(dir, 'content/articles');
  fs.mkdirSync(folder, { recursive: true });
  const urls = { lost: 'https://127.1/a/', hidden: `${SITE_URL}/.x/a/` };
  for (const [slug, url] of Object.entries(urls)) {
    const { text } = encode({ ...draftOf(article({ id: slug })), slug, url, updated: null });
    fs.writeFileSync(join(folder, `${slug}.md`), text);
  }
  t.deepEqual(
    about(await findingsIn(dir), 'articles').map(({ level, text }) => [level, text]),
    [
      ['fail', `articles/hidden.md has no page: no file can have the address ${urls.hidden}`],
      ['fail', `articles/lost.md is found by no lookup: its URL is ${urls.lost}`],
    ],
  );
});

test('doctor calls a port that another site’s receiver has a failure, as the start refuses it', async (t) => {
  const other = createServer((_, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const findings = await findingsIn(tempDir(t), { ...FINE, PORT: String(port), PRESSMARK_HOST: '127.0.0.1' });
  t.like(about(findings, 'port'), [{ level: 'fail' }]);
});

test('doctor names settings of a plugin that is gone, and a plugin that cannot be set up', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.settings.json'), '{"plugins":{"gone":{"a":1}}}');
  const text = 'pressmark.settings.json has settings for the plugin "gone", which is not loaded';
  t.like(about(await findingsIn(dir), 'plugins'), [{ text }]);
  const broken = "export default { name: 'keyless', receiver() { throw new Error('no key'); } };";
  t.like(about(await findingsIn(withPlugins(dir, { broken })), 'plugins'), [
    { level: 'fail', text: 'plugin keyless (plugins/broken.mjs) could not be set up: no key' },
  ]);
});

test('doctor names what of a plugin’s pages does not run in this kind of site', async (t) => {
  const pages = `export default { name: 'pages-only', pages(host) {
    for (const name of ['page.content', 'page.head', 'page.html']) host.addFilter(name, (value) => value);
    host.shortcode('one', () => '');
  } };`;
  for (const [config, words] of [
    ['{}', []],
    [
      '{"site":false}',
      ['pages(host) of plugin pages-only (plugins/pages-only.mjs) does not run: site is false in the config'],
    ],
    [
      '{"generator":"hugo"}',
      [
        'page.content, shortcode of plugin pages-only (plugins/pages-only.mjs) do not run: hugo makes the pages of this site; page.head, page.html and files run after its build',
      ],
    ],
  ] as const) {
    const dir = withPlugins(tempDir(t), { 'pages-only': pages });
    fs.writeFileSync(join(dir, 'pressmark.config.json'), config);
    t.deepEqual(
      about(await findingsIn(dir), 'plugins').map(({ text }) => text),
      [...words],
    );
  }
});

test('doctor refuses an adapter where the site has its own pages, as the start does', async (t) => {
  const adapter = `host.adapter({ path: '/tags/bees', verify: () => true, routes: { 'GET /a': () => 1 } });`;
  const x = `export default { name: 'x', receiver(host) { ${adapter} } };`;
  const text =
    'plugin x: its adapter has the path /tags/bees, which is that of the pages of the site; choose another path';
  t.like(about(await findingsIn(withPlugins(tempDir(t), { x })), 'plugins'), [{ level: 'fail', text }]);
});

test('doctor reports on git: the branch, who commits, an ignored content folder, a secret that is not ignored', async (t) => {
  const dir = tempDir(t);
  t.like(about(await findingsIn(dir), 'git'), [
    { level: 'warn', text: 'articles are not committed: the site is not in a git work tree' },
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
