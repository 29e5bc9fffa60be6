import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadSettings } from '../../../src/config/load.js';
import { namesIn } from '../../support/content.js';
import { runHere } from '../../support/in-process.js';
import { tempDir } from '../../support/temp-dir.js';

const npm = (packages: Record<string, string>, scripts = {}) =>
  JSON.stringify({ private: true, scripts, dependencies: packages });

/** A minimal site of each kind: the files by which its own program finds it. */
const SITES: Record<string, Record<string, string>> = {
  Docusaurus: {
    'docusaurus.config.ts': 'export default { title: "Docs", url: "https://docs.example", baseUrl: "/" };\n',
    'package.json': npm({ '@docusaurus/core': '^3.9.0' }, { build: 'docusaurus build' }),
  },
  VitePress: {
    '.vitepress/config.mts': 'export default { title: "Docs" };\n',
    'index.md': '# Docs\n',
  },
  'VitePress in docs/': {
    'docs/.vitepress/config.js': 'export default {};\n',
    'package.json': npm({}, { 'docs:build': 'vitepress build docs' }),
  },
  VuePress: { 'docs/.vuepress/config.js': 'export default {};\n' },
  Rspress: { 'rspress.config.ts': 'export default {};\n' },
  Hexo: {
    '_config.yml': 'title: Hexo\nurl: http://example.com\npublic_dir: public\n',
    'package.json': npm({ hexo: '^7.3.0' }, { build: 'hexo generate' }),
    'public/index.html': '<meta name="generator" content="Hexo 7.3.0">\n',
  },
  Gatsby: { 'gatsby-config.js': 'module.exports = {};\n', 'package.json': npm({ gatsby: '^5.14.0' }) },
  Gridsome: { 'gridsome.config.js': 'module.exports = {};\n' },
  'Next.js': {
    'next.config.mjs': 'export default { output: "export" };\n',
    'package.json': npm({ next: '^15.0.0' }, { build: 'next build' }),
  },
  'Next.js without a config': { 'package.json': npm({ next: '^15.0.0', react: '^19.0.0' }) },
  Nuxt: { 'nuxt.config.ts': 'export default defineNuxtConfig({});\n', 'content/index.md': '# Home\n' },
  SvelteKit: {
    'svelte.config.js': 'export default {};\n',
    'package.json': npm({ '@sveltejs/kit': '^2.0.0' }, { build: 'vite build' }),
  },
  Remix: { 'package.json': npm({ '@remix-run/react': '^2.0.0' }, { build: 'remix vite:build' }) },
  'React Router': { 'react-router.config.ts': 'export default { ssr: false };\n' },
  SolidStart: { 'package.json': npm({ '@solidjs/start': '^1.0.0' }, { build: 'vinxi build' }) },
  'Qwik City': { 'package.json': npm({ '@builder.io/qwik-city': '^1.0.0' }) },
  Analog: { 'package.json': npm({ '@analogjs/platform': '^1.0.0' }) },
  Scully: { 'scully.site.config.ts': 'export const config = {};\n' },
  'Elder.js': { 'elder.config.js': 'module.exports = {};\n' },
  dumi: { '.dumirc.ts': 'export default {};\n' },
  Antora: { 'antora-playbook.yml': 'site:\n  title: Docs\n' },
  Metalsmith: { 'metalsmith.json': '{"source":"src"}\n' },
  DocPad: { 'docpad.coffee': 'module.exports = {}\n' },
  Harp: { '_harp.json': '{}\n' },
  docsify: { 'package.json': npm({ 'docsify-cli': '^4.4.0' }) },
  Honkit: { 'package.json': npm({ honkit: '^6.0.0' }, { build: 'honkit build' }) },
  Lume: { '_config.ts': 'import lume from "lume/mod.ts";\nexport default lume();\n' },
  Middleman: { 'config.rb': 'activate :blog\n', Gemfile: 'gem "middleman", "~> 4.5"\n' },
  Nanoc: { 'nanoc.yaml': 'string_pattern_type: glob\n' },
  Bridgetown: { Gemfile: 'gem "bridgetown", "~> 1.3"\n' },
  Pelican: {
    'pelicanconf.py': "SITENAME = 'Notes'\nPATH = 'content'\n",
    'content/a.md': 'Title: A\n\nText\n',
  },
  'Pelican by its requirements': { 'requirements.txt': 'pelican[markdown]>=4.9\n' },
  MkDocs: { 'mkdocs.yml': 'site_name: Docs\n', 'docs/index.md': '# Docs\n' },
  Nikola: { 'conf.py': 'BLOG_TITLE = "Notes"\n' },
  Sphinx: { 'docs/conf.py': "project = 'Docs'\nextensions = []\n" },
  Lektor: { 'Notes.lektorproject': '[project]\nname = Notes\n' },
  Zola: {
    'config.toml': 'base_url = "https://notes.example"\ntitle = "Notes"\n',
    'content/_index.md': '+++\n+++\n',
  },
  Cobalt: { '_cobalt.yml': 'site:\n  title: Notes\n' },
  mdBook: { 'book.toml': '[book]\ntitle = "Notes"\n', 'src/SUMMARY.md': '# Summary\n' },
  Quarto: { '_quarto.yml': 'project:\n  type: website\n' },
  bookdown: { '_bookdown.yml': 'book_filename: notes\n' },
  Soupault: { 'soupault.toml': '[settings]\n' },
  Hakyll: { 'site.hs': 'import Hakyll\nmain = hakyll $ do\n' },
  Haunt: { 'haunt.scm': '(use-modules (haunt site))\n' },
  JBake: { 'jbake.properties': 'site.host=https://notes.example\n' },
  Jigsaw: { 'composer.json': '{"require":{"tightenco/jigsaw":"^1.3"}}\n' },
  Sculpin: { 'composer.json': '{"require":{"sculpin/sculpin":"^3.0"}}\n' },
};

const init = (dir: string, ...flags: string[]) => runHere(['init', '--dir', dir, '--yes', ...flags]);
/** Writes a site's files into a new folder. */
function siteWith(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const dir = tempDir(t);
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text);
  }
  return dir;
}

const ignoresOf = (dir: string) => fs.readFileSync(join(dir, '.gitignore'), 'utf8').split('\n');

for (const [kind, files] of Object.entries(SITES))
  test(`${kind}: init names the generator, says what can be done, and writes nothing`, async (t) => {
    const dir = siteWith(t, files);
    const before = namesIn(dir);
    const { code, stderr } = await init(dir, '--site-url', 'https://notes.example');
    t.is(code, 2);
    const name = kind.split(/ (?:in|by|without) /)[0] ?? '';
    t.true(stderr.includes(`nothing was written: ${name} builds this site (`), stderr);
    t.regex(stderr, /docs\/generators\.md.*plain.*\(--generator <name>\)/);
    t.deepEqual(namesIn(dir), before);
  });

test('with --generator plain, init makes a site beside that of an unknown generator, whose files stay as they are', async (t) => {
  for (const files of [SITES.Hexo, SITES.MkDocs, SITES.Pelican].map((one) => one ?? {})) {
    const dir = siteWith(t, files);
    const insisted = await init(dir, '--site-url', 'https://notes.example', '--generator', 'plain');
    t.is(insisted.code, 0, insisted.stderr);
    t.like(await loadSettings(dir, {}, {}), { content: 'pressmark/content', output: 'pressmark/public' });
    t.true(ignoresOf(dir).includes('pressmark/public/'));
    for (const [path, text] of Object.entries(files)) t.is(fs.readFileSync(join(dir, path), 'utf8'), text);
  }
});

test('a build script of an unknown program is named; the script of Pressmark is none', async (t) => {
  const site = siteWith(t, { 'package.json': npm({}, { build: 'acme-pages --out www' }) });
  const { code, stderr } = await init(site);
  t.is(code, 2);
  t.true(
    stderr.includes('does not know builds this site ("build": "acme-pages --out www" in package.json)'),
    stderr,
  );
  t.is((await init(siteWith(t, { 'package.json': npm({}, { build: 'npx pressmark build' }) }))).code, 0);
});

test('a generator that Pressmark knows goes first where both show equally', async (t) => {
  const dir = siteWith(t, {
    'hugo.toml': "baseURL = 'https://notes.example/'\n",
    'docs/mkdocs.yml': '',
    'book.toml': '',
  });
  const { code, stdout } = await init(dir);
  t.is(code, 0);
  t.regex(stdout, /generator +hugo/);
});

test('a site of an unknown generator in a folder below is named', async (t) => {
  const dir = siteWith(t, {
    'website/docusaurus.config.js': 'module.exports = {};\n',
    'README.md': '# Project\n',
  });
  const { code, stderr } = await init(dir);
  t.is(code, 2);
  t.true(stderr.includes('website/ is one (Docusaurus: website/docusaurus.config.js)'), stderr);
});

test('pages in public/ that another program made are left alone: init chooses another folder', async (t) => {
  const others = siteWith(t, { 'public/index.html': '<title>Mine</title>\n' });
  t.is((await init(others)).code, 0);
  t.is((await loadSettings(others, {}, {})).output, 'pressmark/public');
  t.true(ignoresOf(others).includes('pressmark/public/'));
  t.false(ignoresOf(others).includes('public/'));

  const ours = siteWith(t, { 'public/index.html': '<meta name="generator" content="Pressmark">\n' });
  t.is((await init(ours)).code, 0);
  t.is((await loadSettings(ours, {}, {})).output, 'public');
});

test('start, build and doctor refuse an output folder with the home page of another program', async (t) => {
  const dir = siteWith(t, {
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
