import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { article } from '../../../support/events.js';
import { sharedReceiver } from '../../../support/receiver.js';
import { until } from '../../../support/until.js';

const PAGE = '/articles/hive/';
const PAGE_FILE = 'articles/hive/index.html';
const SCRIPT = /<script type="module" src="(\/\.pressmark\/live\.js\?([\w-]+))"><\/script>\s*<\/body>/;

const receiver = sharedReceiver(test, {
  args: ['--live'],
  config: { git: false, site: { search: false } },
});

test.serial.before(async () => {
  const { dir, post, log } = receiver();
  await post('article.published', article({ slug: 'hive' }));
  await until('the site with the article is built', () => {
    const has = (file: string) => fs.existsSync(join(dir, 'public', file));
    return [PAGE_FILE, '404.html', 'feed.xml'].every(has) && log.some(({ msg }) => msg === 'site built');
  });
});

/** What the script asks for. */
const newest = async () => (await ask(receiver().origin, '/.pressmark/live')).text;
const page = () => fs.readFileSync(join(receiver().dir, 'public', PAGE_FILE), 'utf8');

test.serial('a page in a browser on this machine has the script, and its file does not', async (t) => {
  const { dir, origin } = receiver();
  const { text, headers } = await ask(origin, PAGE);
  const [tag, script = ''] = SCRIPT.exec(text) ?? [];
  t.truthy(tag);
  t.is(headers['content-length'], String(Buffer.byteLength(text)));
  const code = await ask(origin, script);
  t.deepEqual([code.status, code.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
  t.regex((await ask(origin, '/nowhere/')).text, SCRIPT);
  t.false(page().includes('.pressmark'));
  t.is((await ask(origin, '/feed.xml')).text, fs.readFileSync(join(dir, 'public/feed.xml'), 'utf8'));
});

test.serial('a page that passes through a proxy is the file itself', async (t) => {
  const { origin } = receiver();
  const headers = { 'X-Forwarded-For': '203.0.113.7' };
  t.is((await ask(origin, PAGE, { headers })).text, page());
  for (const path of ['/.pressmark/live', '/.pressmark/live.js'])
    t.is((await ask(origin, path, { headers })).status, 404);
});

test.serial(
  'a changed template is built and browsers hear of it; a broken one keeps the last good page, and without it the built-in one counts',
  async (t) => {
    const { dir, origin, log } = receiver();
    const atFirst = await newest();

    // The folder is not there yet when the watching begins.
    const template = join(dir, 'templates/article.eta');
    fs.mkdirSync(join(dir, 'templates'));
    fs.writeFileSync(template, '<% layout("./layout") %><h1>Mine: <%= it.title %></h1>');
    await until('the page is built from the template', () => page().includes('<h1>Mine: '));
    await until('a browser that asks hears of it', async () => (await newest()) !== atFirst);
    await until(
      'a page has the version that the browser is told',
      async () => SCRIPT.exec((await ask(origin, '/')).text)?.[2] === (await newest()),
    );

    const good = page();
    fs.writeFileSync(template, '<% layout("./layout") %>\n<h1><%= it.nothing.there %></h1>');
    await until('the log names the template and its line', () =>
      log.some(({ level, reason }) => level === 50 && String(reason).includes('article.eta:2')),
    );
    t.is(page(), good);

    fs.rmSync(join(dir, 'templates'), { recursive: true });
    await until('the page is built from the built-in template', () => !page().includes('Mine: '));
  },
);
