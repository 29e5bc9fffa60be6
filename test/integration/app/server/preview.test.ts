import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { article } from '../../../support/events.js';
import { sharedHere } from '../../../support/receiver-here.js';
import { SECRET } from '../../../support/signer.js';
import { writeFiles } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

// A site below a path, whose pages reload in browsers on this machine.
const BASE = 'https://garden.example/blog';
const CONFIG = { siteUrl: BASE, git: false, site: { title: 'Garden', search: false } };
const receiver = sharedHere(
  test,
  { live: true, config: CONFIG, env: { PRESSMARK_SITE_URL: '', PRESSMARK_SECRET: '' } },
  prepare,
);

/** Has links in the folders of the owner that lead around them, and in a circle: entered, each would double the number of names. */
function prepare(dir: string): void {
  for (const folder of ['static', 'static/sub', 'content/pages', 'content/articles']) {
    fs.mkdirSync(join(dir, folder), { recursive: true });
    fs.symlinkSync('.', join(dir, folder, 'here'));
    fs.symlinkSync('..', join(dir, folder, 'up'));
    if (folder !== 'content/pages') fs.symlinkSync('circle.md', join(dir, folder, 'circle.md'));
  }
  writeFiles(dir, {
    'content/pages/about.md': '---\ntitle: About\n---\nMe',
    '.env': `PRESSMARK_SECRET=${SECRET}\n`,
  });
}

const PAGE = '/blog/articles/hive/';
const SCRIPT = /<script type="module" src="(\/blog\/\.pressmark\/live\.js\?([\w-]+))"><\/script>\s*<\/body>/;

const get = (path: string, headers = {}) => ask(receiver().origin, path, { headers });
const onDisk = (file: string) => fs.readFileSync(join(receiver().dir, 'public', file), 'utf8');
const page = () => onDisk('articles/hive/index.html');
/** What the script asks for. */
const newest = async () => (await get('/blog/.pressmark/live')).text;

let hive: { readonly id: string; readonly url: string };
test.serial.before(async () => {
  hive = (await receiver().post('article.published', article({ slug: 'hive', title: 'The hive' }))).json;
  await until('the home page lists it', async () => (await get('/blog/')).text.includes('The hive'));
});

test.serial(
  '200: the page of an article is served at its path, for a browser on this machine with a script that its file does not have; a lookup finds the article by it',
  async (t) => {
    t.is(hive.url, `${BASE}/articles/hive/`);
    const { status, text, headers } = await get(PAGE);
    t.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    t.true(text.includes('<!-- svc:item:'));
    t.is((await receiver().find(`${BASE}/articles/hive`)).id, hive.id);
    const [, script = ''] = SCRIPT.exec(text) ?? [];
    t.false(page().includes('.pressmark'));
    t.is(headers['content-length'], String(Buffer.byteLength(text)));
    const code = await get(script);
    t.deepEqual([code.status, code.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
    await until('the feed is built', () => fs.existsSync(join(receiver().dir, 'public/feed.xml')));
    t.is((await get('/blog/feed.xml')).text, onDisk('feed.xml'));
  },
);

test.serial('a page that passes through a proxy is the file itself', async (t) => {
  const headers = { 'X-Forwarded-For': '203.0.113.7' };
  t.is((await get(PAGE, headers)).text, page());
  for (const path of ['/blog/.pressmark/live', '/blog/.pressmark/live.js'])
    t.is((await get(path, headers)).status, 404);
});

test.serial('pages come with a policy under which each of their inline scripts may run', async (t) => {
  for (const path of ['/blog/', '/blog/nowhere/']) {
    const { headers, text } = await get(path);
    t.regex(text, SCRIPT, path);
    const policy = String(headers['content-security-policy']);
    t.regex(policy, /^script-src 'self' 'wasm-unsafe-eval' .*; frame-ancestors 'self'$/, path);
    for (const [, script = ''] of text.matchAll(
      /<script(?![^>]*(?:src=|ld\+json))[^>]*>([\s\S]*?)<\/script>/g,
    ))
      t.true(policy.includes(createHash('sha256').update(script).digest('base64')), `${path}: ${script}`);
  }
});

test.serial(
  '301: the root leads to the site, a path without its slash to the one with it, and nothing is outside',
  async (t) => {
    for (const [path, location] of [
      ['/', '/blog/'],
      ['/blog', '/blog/'],
      [PAGE.slice(0, -1), PAGE],
    ] as const) {
      const { status, headers } = await get(path);
      t.deepEqual([status, headers.location], [301, location], path);
    }
    t.is((await get('/articles/hive/')).status, 404);
  },
);

test.serial(
  'a changed template is built and browsers hear of it; a broken one keeps the last good page, and without it the built-in one counts',
  async (t) => {
    const { dir } = receiver();
    const atFirst = await newest();

    // The folder is not there yet when the watching begins.
    const template = join(dir, 'templates/article.eta');
    fs.mkdirSync(join(dir, 'templates'));
    fs.writeFileSync(template, '<% layout("./layout") %><h1>Mine: <%= it.title %></h1>');
    await until('the page is built from the template', () => page().includes('<h1>Mine: '));
    await until('a browser that asks hears of it', async () => (await newest()) !== atFirst);
    await until(
      'a page has the version that the browser is told',
      async () => SCRIPT.exec((await get('/blog/')).text)?.[2] === (await newest()),
    );

    const good = page();
    fs.writeFileSync(template, '<% layout("./layout") %>\n<h1><%= it.nothing.there %></h1>');
    const journal = join(dir, '.pressmark/journal.jsonl');
    await until('the record of the build names the template and its line', () =>
      fs.readFileSync(journal, 'utf8').includes('article.eta:2'),
    );
    t.is(page(), good);

    fs.rmSync(join(dir, 'templates'), { recursive: true });
    await until('the page is built from the built-in template', () => !page().includes('Mine: '));
  },
);

test.serial(
  'links that lead to a folder around them, or in a circle, keep nothing from being built and watched',
  async (t) => {
    const has = (file: string, text: string) =>
      fs.existsSync(join(receiver.dir, 'public', file)) && onDisk(file).includes(text);
    await until('the owner’s page is built', () => has('about/index.html', 'Me'));
    for (const file of ['mine.txt', 'sub/mine.txt']) {
      fs.writeFileSync(join(receiver.dir, 'static', file), file);
      await until(`${file} of static/ is there`, () => has(file, file));
    }
    t.true(has('about/index.html', 'Me'), 'nothing of it was removed');
  },
);

test.serial(
  'a change of the config or of .env is logged without its values and does not hold before the next start, but a new secret at once',
  async (t) => {
    const { dir, log, post } = receiver();
    const OTHER = 'other-secret-other-secret-other';
    const words =
      'the config or .env has changed, which takes effect at the next start; a new signing secret counts at once';
    for (const [name, text] of [
      ['pressmark.config.json', JSON.stringify({ ...CONFIG, siteUrl: 'https://meadow.example' })],
      ['.env', `PRESSMARK_SECRET=${OTHER}\n`],
    ] as const) {
      const before = log.length;
      fs.writeFileSync(join(dir, name), text);
      await until(`the log says that ${name} has changed`, () =>
        log.slice(before).some(({ msg }) => msg === words),
      );
    }
    for (const secret of [SECRET, OTHER]) t.false(JSON.stringify(log).includes(secret));
    const { status, json } = await post('article.published', article({ slug: 'moss' }), { secret: OTHER });
    t.deepEqual([status, json.url], [200, `${BASE}/articles/moss/`]);
    t.is((await post('article.published', article(), { secret: SECRET })).status, 401);
  },
);
