import fs from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { filesIn } from '../../../src/deploy/folder-files.js';
import { article, update } from '../../support/events.js';
import { type Receiver, run, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { toyConfig, toyPost, writeToySite } from './toy-generator.js';

/** A definition that does not make articles inert, so that one with an unknown template breaks the toy's build. */
const UNSAFE = toyConfig(`body: ({ markdown }) => ({ text: markdown, frontMatter: {} }),`);

function toySite(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): string {
  const dir = tempDir(t);
  writeToySite(dir, {
    'pressmark.config.mjs': UNSAFE,
    'content/old.md': toyPost({ title: 'Old', date: '2026-01-02', permalink: '/old/' }),
    ...files,
  });
  return dir;
}

const start = (t: ExecutionContext, dir: string) =>
  startReceiver(t, { dir, env: { PRESSMARK_SITE_URL: '' } });

async function publish(receiver: Receiver, id: string, content_markdown = `Text of ${id}.`) {
  const answer = await receiver.post(
    'article.published',
    article({
      id,
      slug: id,
      title: id,
      content_markdown,
      content_html: `<p>${id}</p><!-- svc:item:${id} -->`,
    }),
  );
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}

const page = (dir: string, id: string) => join(dir, 'public/blog', id, 'index.html');
const text = (path: string) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');
const logged = (receiver: Receiver, start: string) => receiver.log.filter(({ msg }) => msg.startsWith(start));

test('an article is on its page soon after its answer, without any command', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => text(page(dir, 'one')).includes('Text of one.'));
  t.true(text(page(dir, 'one')).includes('<!-- svc:item:one -->'));
  t.true(fs.lstatSync(join(dir, 'public')).isSymbolicLink());
  t.false(fs.existsSync(join(dir, 'cache')), 'the build leaves nothing in the site’s folder');
  const served = await fetch(`${receiver.origin}/base/blog/one/`);
  t.is(served.status, 200);
});

test('a burst of articles is built by a few builds', async (t) => {
  const dir = toySite(t, {
    'pressmark.config.mjs': UNSAFE.replace("build: 'node toy.mjs'", "build: 'sh build.sh'"),
  });
  const hold = join(tempDir(t), 'hold');
  fs.writeFileSync(join(dir, 'build.sh'), `while [ -e '${hold}' ]; do sleep 0.05; done; node toy.mjs\n`);
  const receiver = await start(t, dir);
  await publish(receiver, 'first');
  await until('the first article is built', () => fs.existsSync(page(dir, 'first')));
  const built = () => logged(receiver, 'site built').length;
  await until('its build has ended', () => built() > 0);
  const before = built();
  const ids = Array.from({ length: 20 }, (_, n) => `burst-${n}`);
  // A build takes as long as the disk takes for the articles, however long that may be.
  fs.writeFileSync(hold, '');
  for (const id of ids) await publish(receiver, id);
  fs.rmSync(hold);
  await until('every page is built', () => ids.every((id) => fs.existsSync(page(dir, id))));
  await until('the build with the last article is logged', () => built() > before);
  // One that had begun with the first of them, one for all others, and one for what came while that one began.
  t.true(built() - before <= 3, JSON.stringify(logged(receiver, 'site built')));
});

test('an article that breaks the build is named and left out, the others are built; its update is tried again', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'good');
  const { url } = await publish(receiver, 'bad', 'A {{ broken }} template.');
  await publish(receiver, 'fine');
  await until('the article is named', () => logged(receiver, 'an article breaks the build').length === 1);
  await until('the others are built', () => ['good', 'fine'].every((id) => fs.existsSync(page(dir, id))));
  t.false(fs.existsSync(page(dir, 'bad')));
  const [named] = logged(receiver, 'an article breaks the build');
  t.is(named?.path, 'content/bad.md');
  t.regex(String(named?.reason), /unknown template {{ broken }}/);
  t.true(fs.existsSync(join(dir, 'content/bad.md')));

  const { revision_id: base_revision_id } = await receiver.find(url);
  const data = update(
    { target_id: 'bad', target_url: url, base_revision_id },
    { content_markdown: 'Repaired.' },
  );
  t.is((await receiver.post('article.updated', data)).status, 200);
  await until('the repaired article is built', () => text(page(dir, 'bad')).includes('Repaired.'));
});

test('an article whose front matter an edit has broken keeps its page, is named, and does not stop the others', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'edited');
  await until('the page is built', () => fs.existsSync(page(dir, 'edited')));
  const file = join(dir, 'content/edited.md');
  const good = text(file);
  fs.writeFileSync(file, good.replace(/^title: .*$/m, 'title: "never closed: ['));
  await until(
    'the file is named',
    () => logged(receiver, 'an article has malformed front matter').length === 1,
  );
  await publish(receiver, 'other');
  await until('the other is built', () => fs.existsSync(page(dir, 'other')));
  t.true(text(page(dir, 'edited')).includes('Text of edited.'));
  t.like(logged(receiver, 'an article has malformed front matter')[0], { path: 'content/edited.md' });
  t.deepEqual(logged(receiver, 'an article breaks the build'), []);
  t.deepEqual(logged(receiver, 'the site could not be built'), []);

  const status = await run(['status', '--dir', dir]);
  t.is(status.code, 1);
  t.regex(
    status.stdout,
    /^✗ content\/edited\.md has malformed front matter and is shown with its previous text/m,
  );
  const doctor = await run(['doctor', '--dir', dir]);
  t.deepEqual(
    doctor.stdout.split('\n').filter((line) => line.includes('edited')),
    [
      /✗ articles: content\/edited\.md is malformed, .*/.exec(doctor.stdout)?.[0],
      /✗ build: content\/edited\.md has malformed front matter, and the site shows its previous text: line 4: .*/.exec(
        doctor.stdout,
      )?.[0],
    ],
  );

  fs.writeFileSync(file, good.replace('Text of edited.', 'Corrected.'));
  await until('the corrected article is built', () => text(page(dir, 'edited')).includes('Corrected.'));
  await until('no article is left out', async () => (await run(['status', '--dir', dir])).code === 0);
});

test('doctor names an article that breaks the build once, and does not advise to build it', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'good');
  await publish(receiver, 'bad', 'A {{ broken }} template.');
  await until('the article is named', () => logged(receiver, 'an article breaks the build').length === 1);
  const { stdout } = await run(['doctor', '--dir', dir]);
  const named = stdout.split('\n').filter((line) => /^[✗!].*\bbad\b/.test(line));
  t.is(named.length, 1, stdout);
  t.regex(named[0] ?? '', /^✗ build: content\/bad\.md breaks the build, and the site is built without it/);
});

test('an article is not blamed for a build that fails for a moment', async (t) => {
  const dir = toySite(t, {
    'pressmark.config.mjs': UNSAFE.replace("build: 'node toy.mjs'", "build: 'sh build.sh'"),
  });
  const failed = join(dir, '..', `${basename(dir)}-failed`);
  t.teardown(() => fs.rmSync(failed, { force: true }));
  fs.writeFileSync(
    join(dir, 'build.sh'),
    `[ -e ${failed} ] && node toy.mjs || { touch ${failed}; exit 1; }\n`,
  );
  fs.writeFileSync(failed, '');
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => fs.existsSync(page(dir, 'one')));
  fs.rmSync(failed);
  await publish(receiver, 'two');
  await until('the page is built', () => fs.existsSync(page(dir, 'two')));
  t.deepEqual(logged(receiver, 'an article breaks the build'), []);
});

test('after a restart, an update that breaks the build leaves the article’s page as it was', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  const { url } = await publish(receiver, 'one');
  await until('the page is built', () => text(page(dir, 'one')).includes('Text of one.'));
  await until('the build has ended', () => logged(receiver, 'site built').length > 0);
  await receiver.stop();
  const second = await start(t, dir);
  const { revision_id: base_revision_id } = await second.find(url);
  const target = { target_id: 'one', target_url: url, base_revision_id };
  const data = update(target, { content_markdown: 'Now {{ broken }}.' });
  t.is((await second.post('article.updated', data)).status, 200);
  await until('the article is named', () => logged(second, 'an article breaks the build').length === 1);
  await publish(second, 'two');
  await until('the other article is built', () => fs.existsSync(page(dir, 'two')));
  t.true(text(page(dir, 'one')).includes('Text of one.'));
});

/** Kills the program that builds, and its receiver, when the output has been replaced and nothing was recorded yet. */
const KILLED_AFTER_THE_SWITCH = `
import fs from 'node:fs';
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (!String(to).endsWith('/public') || !fs.existsSync(process.env.KILL ?? '')) return;
  process.kill(process.ppid, 'SIGKILL');
  process.kill(process.pid, 'SIGKILL');
};
`;

test('an output that a crash has kept from being recorded is built again, and reported as one that no deploy has', async (t) => {
  const dir = toySite(t);
  const tools = tempDir(t);
  const [preload, kill, since] = ['kill.mjs', 'kill', 'since'].map((name) => join(tools, name)) as [
    string,
    string,
    string,
  ];
  fs.writeFileSync(preload, KILLED_AFTER_THE_SWITCH);
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'note.mjs'),
    `import fs from 'node:fs';
     const note = ({ since }) => fs.appendFileSync('${since}', (since ?? 'unknown') + ' ');
     export default { name: 'note', setup: (host) => host.addAction('build.done', note) };`,
  );
  const env = { PRESSMARK_SITE_URL: '', NODE_OPTIONS: `--import=${pathToFileURL(preload)}`, KILL: kill };
  const receiver = await startReceiver(t, { dir, env });
  await publish(receiver, 'one');
  await until('the page is built', () => text(page(dir, 'one')).includes('Text of one.'));
  await until('the first build is recorded', () => logged(receiver, 'site built').length > 0);
  fs.writeFileSync(kill, '');
  // Its answer may not come any more on a slow machine.
  await publish(receiver, 'two').catch(() => undefined);
  await receiver.ended;
  t.true(text(page(dir, 'two')).includes('Text of two.'));
  fs.rmSync(since, { force: true });
  const second = await start(t, dir);
  await publish(second, 'three');
  await until('the last article is built', () => fs.existsSync(page(dir, 'three')));
  await until('the build is reported', () => text(since) !== '');
  t.regex(text(since), /^unknown /);
});

test('an article that the layout could not print is tried again once the owner has changed the layout', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'bad', 'A {{ broken }} template.');
  await until('the article is named', () => logged(receiver, 'an article breaks the build').length === 1);
  const layout = text(join(dir, 'toy.mjs'));
  fs.writeFileSync(join(dir, 'toy.mjs'), layout.replace('if (unknown) throw', 'if (false) throw'));
  await publish(receiver, 'next');
  await until('the next article is built', () => fs.existsSync(page(dir, 'next')));
  await until('the other one is built', () => text(page(dir, 'bad')).includes('{{ broken }}'));
  t.pass();
});

test('an update that breaks the build leaves the article’s page as it was', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  const { url } = await publish(receiver, 'one');
  await until('the page is built', () => text(page(dir, 'one')).includes('Text of one.'));
  const { revision_id: base_revision_id } = await receiver.find(url);
  const data = update(
    { target_id: 'one', target_url: url, base_revision_id },
    { content_markdown: 'Now {{ broken }}.' },
  );
  t.is((await receiver.post('article.updated', data)).status, 200);
  await publish(receiver, 'two');
  await until('the other article is built', () => fs.existsSync(page(dir, 'two')));
  t.true(text(page(dir, 'one')).includes('Text of one.'));
  t.true(text(join(dir, 'content/one.md')).includes('{{ broken }}'));
});

test('a post by hand that breaks the build is not left out: the last good output stays, and articles are received', async (t) => {
  const dir = toySite(t);
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => fs.existsSync(page(dir, 'one')));
  const before = (await filesIn(join(dir, 'public'))).toSorted();
  fs.writeFileSync(join(dir, 'content/hand.md'), toyPost({ title: 'Hand' }, 'A {{ broken }} post.\n'));
  await publish(receiver, 'two');
  await until('the failure is logged', () => logged(receiver, 'the site could not be built').length > 0);
  t.deepEqual((await filesIn(join(dir, 'public'))).toSorted(), before);
  fs.rmSync(join(dir, 'content/hand.md'));
  await publish(receiver, 'three');
  await until('the site is built again', () => ['two', 'three'].every((id) => fs.existsSync(page(dir, id))));
});

test('a build by hand leaves the output of the last background build as it is, and the next one replaces it', async (t) => {
  const dir = toySite(t);
  const output = join(dir, 'public');
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => fs.existsSync(page(dir, 'one')));
  const built = fs.realpathSync(output);
  const files = (await filesIn(built)).toSorted();
  await receiver.stop();
  fs.writeFileSync(join(dir, 'content/hand.md'), toyPost({ title: 'Hand' }));
  const { code, stderr } = await run(['build', '--dir', dir]);
  t.is(code, 0, stderr);
  t.false(fs.lstatSync(output).isSymbolicLink());
  t.true(fs.existsSync(join(output, 'hand/index.html')));
  t.deepEqual((await filesIn(built)).toSorted(), files);
  const second = await start(t, dir);
  await publish(second, 'two');
  await until('the page is built', () => fs.existsSync(page(dir, 'two')));
  t.true(fs.lstatSync(output).isSymbolicLink());
});

test('an output that was replaced just before a crash is deployed by the next start', async (t) => {
  const root = tempDir(t);
  const [dir, folder] = [join(root, 'site'), join(root, 'srv')];
  const config = UNSAFE.replace("build: '", `deploy: { folder: '${folder}' },\n  build: '`);
  writeToySite(dir, { 'pressmark.config.mjs': config, 'content/.keep': '' });
  const states = ['build/build.json', 'deploy.json'].map((name) => join(dir, '.pressmark', name));
  const current = join(folder, 'current');
  const isDeployed = (id: string) => fs.existsSync(join(current, 'blog', id, 'index.html'));
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the article is deployed', () => isDeployed('one'));
  await receiver.stop();
  const before = states.map((path) => JSON.parse(text(path)));
  const release = fs.readlinkSync(current);
  const second = await start(t, dir);
  await publish(second, 'two');
  await until('the other article is deployed', () => isDeployed('two'));
  await second.stop();

  // As a crash leaves it between the switch of the output and the state.
  fs.writeFileSync(states[0] ?? '', JSON.stringify({ ...before[0], interrupted: 1 }));
  fs.writeFileSync(states[1] ?? '', JSON.stringify(before[1]));
  fs.rmSync(current);
  fs.symlinkSync(release, current);
  t.false(isDeployed('two'));
  await start(t, dir);
  await until('the other article is deployed again', () => isDeployed('two'));
});

test('a build that changes content, or deletes its output, does so in the copy', async (t) => {
  const dir = toySite(t, {
    'pressmark.config.mjs': UNSAFE.replace("build: 'node toy.mjs'", "build: 'sh build.sh'"),
  });
  const script = (commands: string) => fs.writeFileSync(join(dir, 'build.sh'), commands);
  script('echo changed >> content/old.md; echo more > content/more.txt; node toy.mjs');
  const old = text(join(dir, 'content/old.md'));
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => fs.existsSync(page(dir, 'one')));
  t.is(text(join(dir, 'content/old.md')), old);
  t.false(fs.existsSync(join(dir, 'content/more.txt')));
  script('node toy.mjs && rm -rf public');
  await publish(receiver, 'two');
  await until('the failure is logged', () => logged(receiver, 'the site could not be built').length > 0);
  t.true(fs.existsSync(page(dir, 'one')));
});

test('a receiver that is killed while it builds leaves the last good output, and the next one builds the rest', async (t) => {
  const dir = toySite(t, { 'slow.mjs': "setTimeout(() => import('./toy.mjs'), 1_500);" });
  const receiver = await start(t, dir);
  await publish(receiver, 'one');
  await until('the page is built', () => fs.existsSync(page(dir, 'one')));
  const config = text(join(dir, 'pressmark.config.mjs'));
  await receiver.stop();
  fs.writeFileSync(
    join(dir, 'pressmark.config.mjs'),
    config.replace("build: 'node toy.mjs'", "build: 'node slow.mjs'"),
  );
  const second = await start(t, dir);
  await publish(second, 'two');
  await second.kill('SIGKILL');
  t.true(fs.existsSync(page(dir, 'one')));
  t.false(fs.existsSync(page(dir, 'two')));
  await start(t, dir);
  await until('the article is built', () => fs.existsSync(page(dir, 'two')));
});
