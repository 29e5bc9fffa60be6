import fs from 'node:fs';
import test from 'ava';
import { article } from '../../support/events.js';
import { ASTRO_SITE } from './astro-site.js';
import { MARKS } from './marks-plugin.js';
import { checkOut } from './working-copy.js';

const HTML =
  '<p>Two lines\n\n    of <em>odd</em>   "space", {braces} and <b>tags</B></p>\n<!-- svc:item:loaded -->';

test('with the loader and the integration of pressmark/astro, an article without Markdown is printed byte for byte, with what plugins add', async (t) => {
  const copy = checkOut({ ...ASTRO_SITE, tools: 'astro-5' });
  t.teardown(copy.remove);
  copy.install();
  edit('src/content.config.mjs', [
    [/^import \{ glob \} from 'astro\/loaders';$/m, "$&\nimport { articles } from 'pressmark/astro';"],
    [/loader: glob\(/, 'loader: articles(glob, '],
  ]);
  edit('astro.config.mjs', [
    [/^import .*$/m, "$&\nimport pressmark from 'pressmark/astro';"],
    [/base: /, 'integrations: [pressmark()],\n  base: '],
  ]);
  fs.mkdirSync(copy.path('plugins'));
  fs.writeFileSync(copy.path('plugins/marks.mjs'), MARKS);
  const init = await copy.pressmark('init', '--yes');
  t.is(init.code, 0, init.stderr);
  const receiver = await copy.start();
  t.teardown(() => receiver.kill('SIGKILL'));
  const data = article({ id: 'loaded', slug: 'loaded', content_markdown: '', content_html: HTML });
  const { status, json } = await receiver.post('article.published', data);
  t.is(status, 200);
  t.true(fs.existsSync(copy.path('src/content/blog/loaded.html')));
  const build = await copy.shell('npx astro build');
  t.is(build.code, 0, `${build.stdout}${build.stderr}`);
  t.is(json.url, `${ASTRO_SITE.siteUrl}/blog/loaded/`);
  const page = copy.read('dist/blog/loaded/index.html');
  t.true(page.includes(HTML));
  t.true(page.slice(0, page.indexOf('</head>')).includes(data.json_ld));
  t.is(page.split('<meta name="about" content="loaded">').length - 1, 1);
  t.true(copy.read('dist/marks.txt').includes(json.url));

  function edit(name: string, replacements: readonly (readonly [RegExp, string])[]): void {
    const before = copy.read(name);
    const after = replacements.reduce((text, [from, to]) => text.replace(from, to), before);
    t.is(replacements.filter(([from]) => !from.test(before)).length, 0, `${name} is as this test expects it`);
    fs.writeFileSync(copy.path(name), after);
  }
});
