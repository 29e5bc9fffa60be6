import fs from 'node:fs';
import test from 'ava';
import { article } from '../../support/events.js';
import { MARKS } from './marks-plugin.js';
import { checkOut } from './working-copy.js';

const SITE_URL = 'https://allotment.example/notes';

test('with the plugin of pressmark/eleventy, a build completes each article, with what plugins add, and fails where one has no page', async (t) => {
  const copy = checkOut({ folder: 'eleventy', tools: '.', build: 'npm run build', output: '_site' });
  t.teardown(copy.remove);
  copy.install();
  const path = copy.path('eleventy.config.js');
  const before = copy.read('eleventy.config.js');
  const start = 'export default function (eleventyConfig) {\n';
  t.true(before.startsWith(start));
  const plugin = `import pressmark from 'pressmark/eleventy';\n\n${start}  eleventyConfig.addPlugin(pressmark);\n`;
  fs.writeFileSync(path, before.replace(start, plugin));
  fs.mkdirSync(copy.path('plugins'));
  fs.writeFileSync(copy.path('plugins/marks.mjs'), MARKS);
  const init = await copy.pressmark('init', '--yes');
  t.is(init.code, 0, init.stderr);
  const receiver = await copy.start();
  t.teardown(() => receiver.kill('SIGKILL'));
  const data = article({ id: 'plugged', slug: 'plugged' });
  const { status, json } = await receiver.post('article.published', data);
  t.is(status, 200);
  t.is(json.url, `${SITE_URL}/blog/plugged/`);
  await receiver.kill('SIGKILL');

  const build = await copy.shell('npx eleventy --quiet --output=built');
  t.is(build.code, 0, `${build.stdout}${build.stderr}`);
  const page = copy.read('built/blog/plugged/index.html');
  t.is(page.split(data.json_ld).length - 1, 1);
  t.true(page.slice(0, page.indexOf('</head>')).includes(data.json_ld));
  t.true(page.includes('<!-- svc:item:plugged -->'));
  t.is(page.split('<meta name="about" content="plugged">').length - 1, 1);
  t.is(copy.read('built/marks.txt'), json.url);

  const file = copy.path('content/blog/plugged.md');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^permalink: .*$/m, 'permalink: /elsewhere/'));
  const moved = await copy.shell('npx eleventy --quiet --output=built-again');
  t.not(moved.code, 0);
  t.regex(`${moved.stdout}${moved.stderr}`, /The built site lacks what its articles need:[\s\S]*plugged/);
});
