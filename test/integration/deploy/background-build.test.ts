import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { launchHere, type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { toyConfig, toyPost, writeToySite } from './toy-generator.js';

interface Shown {
  readonly by: string;
  readonly leftOut: readonly { readonly reason: string }[];
  readonly last?: { readonly output: string };
}

// One site, whose tests go on where the one before ended: each start and each build takes a process.

/** A definition that does not make articles inert, so that one with an unknown template breaks the toy's build. */
const CONFIG = toyConfig(`body: ({ markdown }) => ({ text: markdown, frontMatter: {} }),`).replace(
  "build: 'node toy.mjs'",
  "build: 'sh build.sh', deploy: { folder: new URL('www', import.meta.url).pathname }",
);

/** The toy, which finds no deploys among the site's files, and then prints in red. */
const BUILD = `test ! -e www/releases && test ! -e www/current && node toy.mjs && printf '\\033[31mtoy: done\\033[0m\\n'`;

const root = makeTempDir();
const changes = join(root, 'changes');
const dir = join(root, 'site');
const output = join(dir, 'public');

/** Writes down what has changed on the site, outside of the site: each file in it would be one more build. */
const LISTENER = `import fs from 'node:fs';
export default { name: 'listener', receiver: (host) => {
  const builds = () => host.use('builds');
  host.routes((router) => {
    router.get('/', async (context) => {
      context.body = { by: builds().by, leftOut: await builds().leftOut(), last: (await builds().builds())[0] };
    });
  });
  host.addAction('site.changed', ({ files, articles }) =>
    fs.appendFileSync(${JSON.stringify(changes)}, [...files, ...articles].join(' ') + '\\n'));
} };`;
const options = { env: { PRESSMARK_SITE_URL: '' } };
let receiver: ReceiverHere;

async function start(): Promise<void> {
  receiver = await launchHere(dir, options);
}

const write = (name: string, content: string) => fs.writeFileSync(join(dir, name), content);
const text = (path: string) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');
const page = (id: string) => join(output, 'blog', id, 'index.html');
const logged = (start: string, path?: string) =>
  receiver.log.filter((line) => line.msg.startsWith(start) && (path === undefined || line.path === path));
const named = (id: string) => logged('an article breaks the build', `content/${id}.md`);

async function publish(id: string, content_markdown = `Text of ${id}.`): Promise<void> {
  const content_html = `<p>${id}</p><!-- svc:item:${id} -->`;
  const data = article({ id, slug: id, title: id, content_markdown, content_html });
  const answer = await receiver.post('article.published', data);
  if (answer.status !== 200) throw new Error(answer.text);
}

async function refresh(id: string, content_markdown: string): Promise<number> {
  const url = `https://garden.example/base/blog/${id}/`;
  const { revision_id: base_revision_id } = await receiver.find(url);
  const data = update({ target_id: id, target_url: url, base_revision_id }, { content_markdown });
  return (await receiver.post('article.updated', data)).status;
}

const isBuilt = (id: string, content = `Text of ${id}.`) =>
  until(`${id} is built with ${content}`, () => text(page(id)).includes(content));

test.serial.before(async () => {
  fs.mkdirSync(join(root, 'articles'), { recursive: true });
  fs.mkdirSync(dir);
  fs.symlinkSync('../articles', join(dir, 'content'));
  writeToySite(dir, {
    'pressmark.config.mjs': CONFIG,
    'build.sh': BUILD,
    'plugins/listener.mjs': LISTENER,
    'content/old.md': toyPost({ title: 'Old', date: '2026-01-02', permalink: '/old/' }),
  });
  await start();
});
test.after.always(async () => {
  await receiver?.close();
  removeTempDir(root);
});

test.serial('an article is on its page soon after its answer, without any command', async (t) => {
  await publish('one');
  await isBuilt('one');
  t.true(text(page('one')).includes('<!-- svc:item:one -->'));
  t.true(fs.lstatSync(output).isSymbolicLink());
  t.false(fs.existsSync(join(dir, 'cache')), 'the build leaves nothing in the site’s folder');
  t.is((await fetch(`${receiver.origin}/base/blog/one/`)).status, 200);
  await until('plugins hear of the change', () =>
    /blog\/one\/index\.html .*content\/one\.md/.test(text(changes)),
  );
});

test.serial(
  'an article that breaks the build is named and left out, the others are built; its update is tried again',
  async (t) => {
    await publish('bad', 'A {{ broken }} template.');
    await publish('fine');
    await until('the article is named', () => named('bad').length === 1);
    await isBuilt('fine');
    t.false(fs.existsSync(page('bad')));
    t.regex(String(named('bad')[0]?.reason), /unknown template {{ broken }}/);
    t.true(fs.existsSync(join(dir, 'content/bad.md')));
    const { stdout } = await runHere(['doctor', '--dir', dir]);
    t.regex(stdout, /^✗ build: content\/bad\.md breaks the build and is left out/m);

    const shown = (await (await fetch(`${receiver.origin}/-/listener/`)).json()) as Shown;
    t.like(shown, { by: 'generator', last: { by: 'generator', outcome: 'built', output: 'toy: done' } });
    const { leftOut } = shown;
    t.like(leftOut, [{ id: 'bad', path: 'content/bad.md', why: 'breaks', hasPrevious: false }]);
    t.regex(leftOut[0]?.reason ?? '', /unknown template/);

    t.is(await refresh('bad', 'Repaired.'), 200);
    await isBuilt('bad', 'Repaired.');
  },
);

test.serial(
  'an article whose front matter an edit has broken keeps its page, is named, and does not stop the others',
  async (t) => {
    const file = join(dir, 'content/fine.md');
    const good = text(file);
    fs.writeFileSync(file, good.replace(/^title: .*$/m, 'title: "never closed: ['));
    const malformed = () => logged('an article has malformed front matter', 'content/fine.md');
    await until('the file is named', () => malformed().length === 1);
    await publish('other');
    await isBuilt('other');
    t.true(text(page('fine')).includes('Text of fine.'));
    t.deepEqual(named('fine'), []);
    t.deepEqual(logged('the site could not be built'), []);
    t.is((await runHere(['status', '--dir', dir])).code, 1);
    fs.writeFileSync(file, good.replace('Text of fine.', 'Corrected.'));
    await isBuilt('fine', 'Corrected.');
  },
);

test.serial(
  'a receiver that is stopped while it builds leaves the last good output, and the next one builds the rest',
  async (t) => {
    const begun = join(root, 'begun');
    write('build.sh', `touch '${begun}'; sleep 600; node toy.mjs`);
    await publish('ten');
    await until('the build has begun', () => fs.existsSync(begun));
    const failures = logged('the site could not be built').length;
    await receiver.close();
    t.is(logged('the site could not be built').length, failures, 'what is stopped has not failed');
    t.true(fs.existsSync(page('other')));
    t.false(fs.existsSync(page('ten')));
    write('build.sh', BUILD);
    await start();
    await isBuilt('ten');
  },
);

test.serial(
  'an output that is a link of the owner is left alone, and what can be done is said',
  async (t) => {
    const linked = join(root, 'linked');
    const served = join(root, 'served');
    fs.mkdirSync(served);
    writeToySite(linked, { 'pressmark.config.mjs': CONFIG, 'build.sh': BUILD });
    fs.symlinkSync(served, join(linked, 'public'));
    const { log } = await startHere(t, { ...options, dir: linked });
    const said = /^public is a symbolic link of your own, .*set "output" to it, or .*background: false/s;
    await until('it is said', () => log.some(({ reason }) => said.test(String(reason))));
    t.is(fs.readlinkSync(join(linked, 'public')), served);
  },
);

test.serial('an output that git tracks is left alone, and what can be done is said', async (t) => {
  const tracked = join(root, 'tracked');
  writeToySite(tracked, { 'pressmark.config.mjs': CONFIG, 'build.sh': BUILD, 'public/index.html': 'mine' });
  gitIn(tracked, 'init', '--quiet');
  gitIn(tracked, 'add', '.');
  gitIn(tracked, 'commit', '--quiet', '--message', 'The site');
  const { log } = await startHere(t, { ...options, dir: tracked });
  const said =
    /^git tracks files in public, .*git rm -r --cached public.*set "output" to it; or .*background: false/s;
  await until('it is said', () => log.some(({ reason }) => said.test(String(reason))));
  t.is(text(join(tracked, 'public/index.html')), 'mine');
  t.false(fs.lstatSync(join(tracked, 'public')).isSymbolicLink());
});
