import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openTrash } from '../../../src/store/trash.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir, tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, toyPost, writeToySite } from './toy-generator.js';

// A site of another generator: what plugins add to its pages is added after its build.

const JSON_LD = '<script type="application/ld+json">{"@type":"Article"}</script>';

/** Adds to heads what it knows of the article, turns a heading into another, and lists the articles. */
const DECORATOR = `export default { name: 'decorator', pages(host) {
  host.addFilter('page.head', (head, { article, site, kind }) =>
    head + '<meta name="about" content="' + [kind, article.id, article.extra.mood, site.url].join(' ') + '">');
  host.addFilter('page.html', (html, { path }) =>
    html.replace(/<!--[^]*?-->/g, '').replace(/<script[^]*?<\\/script>/g, '').replace('<h1>', '<h1 data-path="' + path + '">'));
  host.addFilter('page.content', (html) => html);
  host.addFilter('feed.items', (items) => items);
  host.addOutput({ path: 'llms.txt', render: (_path, { articles }) => [...articles].map(({ url }) => url).join('\\n') });
  host.addOutput({ path: 'blog/taken/', paths: () => ['blog/taken/index.html'], render: () => 'of the plugin' });
  host.addOutput({ path: 'broken.txt', render: () => { throw new Error('no luck'); } });
} };`;

/** Fails at each page, in two ways. */
const FAULTY = `export default { name: 'faulty', pages(host) {
  host.addFilter('page.html', () => { throw new Error('no luck'); }, { priority: 99 });
  host.addFilter('page.html', () => '<p>No head</p>', { priority: 98 });
} };`;

const FIELDS = `export default { name: 'fields', receiver(host) {
  host.addFilter('article.frontMatter', (fields) => ({ ...fields, mood: 'calm' }));
} };`;

const published = (id: string) =>
  article({
    id,
    slug: id,
    title: id,
    content_markdown: `Text of ${id}.\n\n<!-- svc:item:${id} -->`,
    content_html: `<p>Text of ${id}.</p><!-- svc:item:${id} -->`,
    json_ld: JSON_LD,
  });

const IDS = ['moss', 'fern', 'rush', 'reed'];

const times = (text: string, part: string) => text.split(part).length - 1;

// One site, whose tests go on where the one before ended.

const root = makeTempDir();
const dir = join(root, 'site');
let receiver: ReceiverHere;

/** Plugins that leave something behind at the first page that they are handed, in the process that builds. */
const STRAYS = {
  throws: ['setTimeout(() => { null.x; }, 1)', 'has thrown an error that nothing catches'],
  rejects: [
    "void (async () => { await 1; throw new Error('x'); })()",
    'has a promise that was rejected, and nothing handles it',
  ],
  exits: ['setTimeout(() => process.exit(3), 1)', 'has called process.exit, which is refused'],
} as const;

const strays = Object.entries(STRAYS).map(([name, [onPage]]) => [
  `plugins/${name}.mjs`,
  `let isFirst = true;
export default { name: '${name}', pages(host) { host.addFilter('page.head', (head) => {
  if (isFirst) { isFirst = false; ${onPage}; }
  return head;
}); } };`,
]);

const VOTES = `import fs from 'node:fs';
export default { name: 'votes',
  receiver: (host) => host.routes((router) => router.get('/:id', async (context) => {
    await host.articles.rebuild([context.params.id]);
    context.body = 'asked';
  })),
  pages: (host) => host.addFilter('page.head', async (head) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return head + '<meta name="votes" content="' + fs.readFileSync(host.paths.site + '/votes.txt', 'utf8') + '">';
  }, { priority: 99 }),
};`;

const page = () => {
  const path = join(dir, 'public/blog/moss/index.html');
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
};

test.serial.before(async () => {
  writeToySite(dir, {
    'content/old.md': toyPost({ title: 'Old', date: '2026-01-02' }),
    'pressmark.config.mjs': TOY_CONFIG,
    'votes.txt': 'none',
    'plugins/decorator.mjs': DECORATOR,
    'plugins/fields.mjs': FIELDS,
    'plugins/votes.mjs': VOTES,
    ...Object.fromEntries(strays),
  });
  receiver = await launchHere(dir, { env: { PRESSMARK_SITE_URL: '' } });
  for (const id of IDS) await receiver.post('article.published', published(id));
  await until('the article has its page', () => page() !== '');
});
test.after.always(async () => {
  await receiver?.close();
  removeTempDir(root);
});

test.serial(
  'filters of pages and files of plugins run after the build of another generator; what cannot run is named',
  async (t) => {
    const words =
      'page.content, feed.items of plugin decorator (plugins/decorator.mjs) do not run: toy makes the pages of this site; page.head, page.html and files run after its build';
    t.is(receiver.log.filter(({ msg }) => msg === words).length, 1);
    const meta = '<meta name="about" content="article moss calm https://garden.example/base">';
    t.is(times(page(), meta), 1);
    t.is(times(page(), '<h1 data-path="/blog/moss/">moss</h1>'), 1);
    t.is(times(page(), JSON_LD), 1, 'a filter does not remove the JSON-LD');
    t.is(times(page(), '<!-- svc:item:moss -->'), 1);
    const old = fs.readFileSync(join(dir, 'public/old/index.html'), 'utf8');
    t.false(old.includes(meta), 'it is no article of ours');
    const list = fs.readFileSync(join(dir, 'public/llms.txt'), 'utf8');
    t.true(list.split('\n').includes('https://garden.example/base/blog/moss/'), list);
    t.false(fs.existsSync(join(dir, 'public/broken.txt')));
    const warned = () =>
      receiver.log.filter(({ msg }) => msg.includes('output broken.txt of plugin decorator: no luck'));
    await until('the log names the file', () => warned().length > 0);
    const { json } = await receiver.post('article.published', published('taken'));
    t.is(json.url, 'https://garden.example/base/blog/taken-2/', 'the plugin has a file there');
  },
);

test.serial(
  'what a plugin leaves behind in a build ends neither the build nor the work of others, and is named',
  async (t) => {
    t.is(times(page(), '<meta name="votes" content="none">'), 1);
    for (const [name, [, what]] of Object.entries(STRAYS))
      await until(`${name} is named`, () =>
        receiver.log.some(({ plugin, msg }) => plugin === name && msg === `plugin ${name} ${what}`),
      );
    t.false(receiver.log.some(({ msg }) => /could not be built/.test(msg)));
  },
);

test.serial(
  'host.articles.rebuild has the page of an article made again in the site of another generator',
  async (t) => {
    fs.writeFileSync(join(dir, 'votes.txt'), 'three');
    t.is(await (await fetch(`${receiver.origin}/-/votes/moss`)).text(), 'asked');
    await until('its page is made again', () => page().includes('content="three"'));
  },
);

/** A site that is built by hand, with articles of the other one. */
function builtSite(t: Parameters<typeof tempDir>[0], plugins: Readonly<Record<string, string>>) {
  const dir = tempDir(t);
  const config = TOY_CONFIG.replace(
    "build: 'node toy.mjs'",
    "build: { command: 'node toy.mjs', background: false }",
  );
  const posts = IDS.map((id) => [
    `content/${id}.md`,
    fs.readFileSync(join(root, `site/content/${id}.md`), 'utf8'),
  ]);
  writeToySite(dir, { 'pressmark.config.mjs': config, ...Object.fromEntries(posts), ...plugins });
  const build = (command: 'build' | 'postbuild') => runHere([command, '--dir', dir]);
  const page = (id: string) => fs.readFileSync(join(dir, `public/blog/${id}/index.html`), 'utf8');
  return { dir, build, page };
}

test('a page that a generator leaves alone gets nothing twice; a plugin can neither end the build nor write out of the output', async (t) => {
  const { dir, build, page } = builtSite(t, { 'plugins/decorator.mjs': DECORATOR });
  execFileSync(process.execPath, ['toy.mjs'], { cwd: dir });
  t.is((await build('postbuild')).code, 0);
  const first = page('moss');
  t.is(times(first, '<meta name="about"'), 1);
  await build('postbuild');
  t.is(page('moss'), first);

  execFileSync(process.execPath, ['toy.mjs'], { cwd: dir });
  const elsewhere = tempDir(t);
  fs.symlinkSync(elsewhere, join(dir, 'public/linked'));
  fs.writeFileSync(join(dir, 'public/file'), 'of the generator');
  const trashed = { id: 'x', title: 'X', path: 'x.md', at: '2026-01-02T03:04:05Z', by: 'Ada' };
  for (const name of ['file', 'gone'])
    await openTrash(join(dir, '.pressmark')).keep(
      {
        ...trashed,
        id: name,
        url: `https://garden.example/base/${name}/`,
        redirect: 'https://garden.example/base/',
      },
      'x',
    );
  const ender = `export default { name: 'ender', pages(host) {
    host.addFilter('page.html', () => process.exit(0));
    host.addOutput({ path: 'linked/deep/x.txt', render: () => 'x' });
    host.addOutput({ path: 'file/x.txt', render: () => 'x' });
  } };`;
  fs.writeFileSync(join(dir, 'plugins/ender.mjs'), ender);
  fs.writeFileSync(
    join(dir, 'public/blog/fern/index.html'),
    page('fern').replaceAll(/<\/?(?:html|head|body)>/g, ''),
  );
  const { exit } = process;
  const ended = await build('postbuild');
  t.regex(ended.stderr, /page\.html of plugin ender failed: plugin ender must not end the process/);
  t.regex(ended.stderr, /\/blog\/fern\/: the page has no <\/head> for what plugins add to it/);
  t.regex(ended.stderr, /linked\/deep\/x\.txt" leads out of the output folder/);
  t.deepEqual(fs.readdirSync(elsewhere), []);
  t.regex(ended.stderr, /"file\/x\.txt" cannot be written/);
  t.regex(ended.stderr, /redirect of an article in the trash: "file\/index\.html" cannot be written/);
  t.regex(
    fs.readFileSync(join(dir, 'public/gone/index.html'), 'utf8'),
    /url=https:\/\/garden\.example\/base\/"/,
  );
  t.is(process.exit, exit);
});

test('a filter that fails costs the page nothing that others do, is named, and is switched off after three pages', async (t) => {
  const { build, page } = builtSite(t, {
    'plugins/faulty.mjs': FAULTY,
    'plugins/head.mjs': `export default { name: 'head', pages(host) {
      host.addFilter('page.head', () => '<meta name="head">');
      host.addFilter('page.html', (html) => html.replace('</body>', '<b>last</b></body>'), { priority: 100 });
    } };`,
  });
  const { code, stderr } = await build('build');
  t.is(code, 0, stderr);
  const failed = stderr.match(
    /https:\S+\/blog\/\w+\/: filter page\.html of plugin faulty failed: no luck; the page is made without it/g,
  );
  t.is(new Set(failed).size, 3, stderr);
  const headless =
    /: filter page\.html of plugin faulty returned a page whose head has no end; the page is made/g;
  t.is(stderr.match(headless)?.length, 3, stderr);
  t.is(times(stderr, 'is switched off'), 2, stderr);
  for (const id of IDS)
    for (const part of ['<meta name="head">', '<b>last</b>', `<!-- svc:item:${id} -->`])
      t.is(times(page(id), part), 1, `${id}: ${part}`);
});
