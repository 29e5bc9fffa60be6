import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { buildLock, buildWithGenerator } from '../../../src/app/build/generator-build.js';
import { runPostbuild } from '../../../src/app/build/postbuild.js';
import { loadSettings } from '../../../src/config/load.js';
import { filesBelow } from '../../../src/fs/files-below.js';
import { openTrash } from '../../../src/store/trash.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { folderWith, tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';
import { TOY_CONFIG, toyPost, writeToySite } from '../deploy/toy-generator.js';

test('build makes from nothing the same site as the receiver made', async (t) => {
  const dir = tempDir(t);
  const receiver = await startHere(t, { dir });
  for (const id of ['one', 'two']) await receiver.post('article.published', article({ id, slug: id }));
  // The search follows a whole build.
  await until('the search finds both articles', () =>
    receiver.log.some(({ msg, pages }) => msg === 'search index written' && pages === 2),
  );
  await receiver.close();
  // The index of the search keeps files of the index before for a while.
  const files = () =>
    filesBelow(join(dir, 'public'))
      .filter((name) => !name.startsWith('pagefind/'))
      .map((name) => [name, fs.readFileSync(join(dir, 'public', name), 'utf8')])
      .sort();
  const before = files();
  t.true(before.some(([name]) => name === 'articles/two/index.html'));
  fs.rmSync(join(dir, 'public'), { recursive: true });
  fs.rmSync(join(dir, '.pressmark'), { recursive: true });
  const { code, stdout } = await runHere(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(code, 0);
  t.regex(
    stdout,
    /^\d+ pages \(\d+ KB\) built in \d+\.\d\d s: \d+ written, 0 removed, 0 failed → public\/\n$/,
  );
  t.deepEqual(files(), before);
  t.true(fs.existsSync(join(dir, 'public/pagefind/pagefind-entry.json')));
});

test('build ends with code 2 where another generator builds the site, and with code 1 where a template is wrong', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{"site":false}');
  const other = await runHere(['build', '--dir', dir]);
  t.deepEqual(
    [other.code, other.stderr],
    [2, 'pressmark: site is false in the config: another generator builds this site\n'],
  );
  fs.rmSync(join(dir, 'pressmark.config.json'));
  fs.mkdirSync(join(dir, 'templates'));
  fs.writeFileSync(join(dir, 'templates/home.eta'), '<% throw new Error("no home today") %>');
  const broken = await runHere(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(broken.code, 1);
});

test('what a plugin leaves behind neither ends a build nor keeps it from its end, and its error is named', async (t) => {
  const dir = folderWith(t, { 'pressmark.config.json': '{ "site": { "search": false } }' });
  withPlugins(dir, {
    throws: `export default { name: 'throws', pages(host) { setInterval(() => {}, 1e6); host.addFilter('page.html', async (html) => {
      setTimeout(() => { null.x; }, 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return html;
    }); } };`,
  });
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const { code, stdout, stderr } = await run(['build', '--dir', dir], env);
  t.is(code, 0, stderr);
  t.regex(stdout, /pages .* built/);
  t.is(stderr.split('plugin throws has thrown an error that nothing catches').length, 2, stderr);
});

const SITE = 'https://garden.example/base';
const JSON_LD = '<script type="application/ld+json">{"@type":"Article"}</script>';

/** Makes a site of the toy generator with two posts and a draft, which is built by hand alone. @returns the folder. */
function toySite(dir: string): string {
  writeToySite(dir, {
    'content/old.md': toyPost({ title: 'Old', date: '2026-01-02' }),
    'content/titled.md': toyPost({ title: 'A Title', date: '2026-01-02', permalink: '/p/:title/' }),
    'pressmark.config.mjs': TOY_CONFIG.replace(
      "build: 'node toy.mjs'",
      "build: { command: 'node toy.mjs', background: false }",
    ),
    'content/draft.md': toyPost({ title: 'Draft', draft: true }),
  });
  return dir;
}

test('a build by hand waits with words for another build, and leaves the output of the last background build in its place where it fails', async (t) => {
  const outputs = '.pressmark/build/outputs/20261122T210500123Z-1f3a';
  const dir = folderWith(t, { [`${outputs}/index.html`]: 'good' });
  writeToySite(dir, {
    'toy.mjs':
      "import fs from 'node:fs'; fs.mkdirSync('public'); fs.writeFileSync('public/index.html', ''); null.x",
    'pressmark.config.mjs': TOY_CONFIG,
  });
  fs.symlinkSync(outputs, join(dir, 'public'));
  const other = buildLock(join(dir, '.pressmark'));
  await other.enter();
  const build = buildWithGenerator(await loadSettings(dir), { onWaiting: other.close });
  await t.throwsAsync(build, { code: 'BUILD_FAILED', message: /null\.x/ });
  t.is(fs.readFileSync(join(dir, 'public/index.html'), 'utf8'), 'good');
});

test('a link that leads nowhere is no article, and keeps none from being completed', async (t) => {
  const dir = toySite(tempDir(t));
  fs.symlinkSync('nowhere.md', join(dir, 'content/linked.md'));
  t.deepEqual(await runPostbuild(dir, 'public'), { missing: [], warnings: [], changed: 0 });
});

/** Of the serial tests, which go on where the one before ended: `new` is published and not built yet. */
const receiver = sharedHere(test, { env: { PRESSMARK_SITE_URL: '' } }, toySite);
const { dir } = receiver;
const publishNew = () =>
  receiver().post('article.published', article({ id: 'new', slug: 'new', json_ld: JSON_LD }));

test.serial('postbuild ends with code 1 and lists the articles whose pages are missing', async (t) => {
  await publishNew();
  const missing = await runHere(['postbuild', 'public', '--dir', dir]);
  t.is(missing.code, 1);
  t.regex(
    missing.stderr,
    /^missing: https:\/\/garden\.example\/base\/blog\/new\/ \(new\.md\): the built site has no page/,
  );
  const within = await runHere(['postbuild', 'public', '--dir', dir], { PRESSMARK_BUILD: '1' });
  t.is(within.code, 0, 'a build of Pressmark’s looks again itself');
  execFileSync(process.execPath, ['toy.mjs'], { cwd: dir });
  const complete = await runHere(['postbuild', 'public', '--dir', dir, '--json']);
  t.is(complete.code, 0);
  t.like(JSON.parse(complete.stdout), { checked: 1, changed: 1, missing: [] });
  t.deepEqual(await runPostbuild(dir, 'public'), { missing: [], warnings: [], changed: 0 });
});

test.serial(
  'an article that somebody has moved is completed at its new address, and the URL that was answered is named; that of a removed one leads where its owner wants it',
  async (t) => {
    const { keep } = openTrash(join(dir, '.pressmark'));
    const redirect = 'https://garden.example/base/blog/new/?a=1&b=2';
    for (const slug of ['gone', 'new']) {
      const removed = { id: `removed-${slug}`, url: `${SITE}/blog/${slug}/`, path: `removed-${slug}.md` };
      await keep({ ...removed, title: '', at: '', by: 'Ada', redirect }, '');
    }
    const first = await runHere(['build', '--dir', dir]);
    t.is(first.code, 0, first.stderr);
    const page = (slug: string) => fs.readFileSync(join(dir, `public/blog/${slug}/index.html`), 'utf8');
    t.regex(page('gone'), /<meta http-equiv="refresh" content="0; url=[^"]*\/blog\/new\/\?a=1&amp;b=2">/);
    t.notRegex(page('new'), /http-equiv="refresh"/, 'the generator has a page there');
    t.regex(
      first.stdout,
      /^built in \d+\.\d s → public\/: 1 of 1 articles are complete, 1 pages were changed\nexisting posts: the URLs of 2 are known, those of 1 are not/m,
    );
    const path = join(dir, 'content/new.md');
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('/blog/new/', '/elsewhere/'));

    const built = await runHere(['build', '--dir', dir]);
    t.is(built.code, 0, built.stderr);
    const sentence = `the URL answered to the service is ${SITE}/blog/new/, but the page of content/new.md is at ${SITE}/elsewhere/`;
    t.true(built.stderr.includes(`warning: ${sentence}; put the address back`), built.stderr);
    t.true(fs.readFileSync(join(dir, 'public/elsewhere/index.html'), 'utf8').includes(JSON_LD));
    const findings: { text: string; level: string }[] = JSON.parse(
      (await runHere(['doctor', '--dir', dir, '--port', '0', '--json'])).stdout,
    );
    t.like(
      findings.find(({ text }) => text === sentence),
      { level: 'warn' },
    );
  },
);

test('build fails with the end of what the generator printed, and does not run itself', async (t) => {
  const dir = toySite(tempDir(t));
  fs.writeFileSync(join(dir, 'content/old.md'), toyPost({ title: 'Old' }, '{{ broken }}'));
  const failed = await runHere(['build', '--dir', dir]);
  t.is(failed.code, 1);
  t.regex(failed.stderr, /pressmark: the build command "node toy\.mjs" ended with exit code 1/);
  t.regex(failed.stderr, /unknown template \{\{ broken \}\}/);
  const circle = await runHere(['build', '--dir', dir], { PRESSMARK_BUILD: '1' });
  t.is(circle.code, 2);
  t.regex(circle.stderr, /runs pressmark build, which runs it/);
});

test('list shows every article with its date, title, last author, URL and file', async (t) => {
  const dir = toySite(tempDir(t));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir });
  git('init', '-q');
  fs.writeFileSync(join(dir, 'content/odd.md'), '---\n: {\n---\n');
  git('add', 'content/old.md', 'content/odd.md');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'Old');
  const json = JSON.parse((await runHere(['list', '--dir', dir, '--json'])).stdout);
  t.deepEqual(
    json.map(({ file }: { file: string }) => file),
    ['content/draft.md', 'content/odd.md', 'content/old.md', 'content/titled.md'],
  );
  t.like(json[0], {
    kind: 'article',
    id: 'draft.md',
    address: 'unknown',
    reason: 'is a draft',
    lastAuthor: null,
  });
  t.like(json[1], { kind: 'unreadable', lastAuthor: { name: 'Ada', email: 'ada@example.com' } });
  t.like(json[2], {
    id: 'old.md',
    address: 'unknown',
    reason: 'has no listed URL',
    lastAuthor: { name: 'Ada' },
  });
  t.regex(json[2].revision, /^edit-/);
  t.regex(
    (await runHere(['list', '--dir', dir])).stdout,
    /^ {12}unreadable +Ada {12}\(line \d+: .*\) +content\/odd\.md$/m,
  );
});
