import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadSettings } from '../../../src/config/load.js';
import { namesIn } from '../../support/content.js';
import { runHere } from '../../support/in-process.js';
import { folderWith } from '../../support/temp-dir.js';

const manifest = (packages: Record<string, string>, scripts = {}) =>
  JSON.stringify({ private: true, scripts, dependencies: packages });

const GRIDSOME = {
  'gridsome.config.js': "module.exports = { siteName: 'Notes' };\n",
  'package.json': manifest({ gridsome: '^0.7.23' }, { build: 'gridsome build' }),
  'public/index.html': '<meta name="generator" content="Gridsome v0.7.23">\n',
};
const MKDOCS = { 'mkdocs.yml': 'site_name: Docs\n', 'docs/index.md': '# Docs\n' };

const init = (dir: string, ...flags: string[]) => runHere(['init', '--dir', dir, '--yes', ...flags]);
const ignoresOf = (dir: string) => fs.readFileSync(join(dir, '.gitignore'), 'utf8').split('\n');

test('init names the generator of a site, says what can be done, and writes nothing', async (t) => {
  const dir = folderWith(t, GRIDSOME);
  const before = namesIn(dir);
  const { code, stderr } = await init(dir, '--site-url', 'https://notes.example');
  t.is(code, 2);
  t.true(stderr.includes('nothing was written: Gridsome builds this site (gridsome.config.js)'), stderr);
  t.regex(stderr, /docs\/generators\.md.*plain.*\(--generator <name>\)/);
  t.deepEqual(namesIn(dir), before);
});

test('with --generator plain, init makes a site beside that of an unknown generator, whose files stay as they are', async (t) => {
  for (const files of [GRIDSOME, MKDOCS]) {
    const dir = folderWith(t, files);
    const insisted = await init(dir, '--site-url', 'https://notes.example', '--generator', 'plain');
    t.is(insisted.code, 0, insisted.stderr);
    t.like(await loadSettings(dir, {}, {}), { content: 'pressmark/content', output: 'pressmark/public' });
    t.true(ignoresOf(dir).includes('pressmark/public/'));
    for (const [path, text] of Object.entries(files)) t.is(fs.readFileSync(join(dir, path), 'utf8'), text);
  }
});

// As much of Next.js as `init` asks.
const NEXT = {
  'next.config.mjs': "export default { output: 'export' };\n",
  'package.json': manifest({ next: '^15.5.0' }, { build: 'next build' }),
  'node_modules/next/package.json': '{"name":"next","version":"15.5.0"}',
  'node_modules/next/constants.js': "exports.PHASE_PRODUCTION_BUILD = 'build';\n",
  'node_modules/next/dist/server/config.js':
    "exports.default = async (phase) => phase === 'build' && { output: 'export', distDir: '.next', basePath: '/notes' };\n",
  'app/blog/[slug]/page.tsx': '',
};
const ADDRESS = ['--site-url', 'https://notes.example/notes'];

test('init finds the folder of posts of a Next.js site, and writes nothing where there is none', async (t) => {
  const posts = { 'texts/a.md': "---\ntitle: A\ndate: '2025-02-11'\nsummary: S.\n---\n" };
  const dir = folderWith(t, { ...NEXT, ...posts });
  const { code, stderr } = await init(dir, ...ADDRESS);
  t.is(code, 0, stderr);
  const { content, output, build, articles, generator } = await loadSettings(dir, {}, {});
  t.like(
    { content, output, build, permalink: articles.permalink, generator },
    {
      content: 'texts',
      output: 'out',
      build: 'npm run build',
      permalink: '/blog/:slug',
      generator: {
        name: 'markdown-folder',
        keys: { description: 'summary' },
        dates: 'day-string',
        rawHtml: true,
      },
    },
  );
  t.regex(fs.readFileSync(join(dir, 'package.json'), 'utf8'), /"postbuild": ?"pressmark postbuild out"/);

  const empty = folderWith(t, { ...NEXT, 'texts/a.mdx': '' });
  const before = namesIn(empty);
  const refused = await init(empty, ...ADDRESS);
  t.is(refused.code, 2);
  t.regex(
    refused.stderr,
    /nothing was written: No Markdown file \(\.md\).*a\.mdx is MDX.*--content <folder>/,
  );
  const named = await init(empty, ...ADDRESS, '--content', 'texts');
  t.is(named.code, 2);
  t.regex(named.stderr, /"texts" holds no Markdown file/);
  t.deepEqual(namesIn(empty), before);
});

test('start, build and doctor refuse an output folder with the home page of another program', async (t) => {
  const dir = folderWith(t, {
    'pressmark.config.json': '{"siteUrl":"https://notes.example","git":false}',
    'public/index.html': '<meta name="generator" content="Hexo 7.3.0">\n',
  });
  for (const command of ['start', 'build', 'doctor']) {
    const port = command === 'build' ? [] : ['--port', '0'];
    const { code, stdout, stderr } = await runHere([command, '--dir', dir, ...port], {
      PRESSMARK_SECRET: 'x'.repeat(40),
    });
    t.is(code, command === 'doctor' ? 1 : 2, command);
    t.regex(
      `${stdout}${stderr}`,
      /public\/ holds files that Pressmark did not write, such as index\.html/,
      command,
    );
  }
  t.deepEqual(namesIn(join(dir, 'public')), ['index.html']);
});
