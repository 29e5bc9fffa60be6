import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { contentOf, mappingOf, staticFolderOf } from '../../../../src/app/content/content.js';
import { contentPrefix, foldersOf } from '../../../../src/app/content/folders.js';
import { siteFiles } from '../../../../src/app/content/site-files.js';
import { loadSettings } from '../../../../src/config/load.js';
import { GENERATORS } from '../../../../src/generators/registry.js';
import { folderWith, tempDir } from '../../../support/temp-dir.js';

test('what an owner has said of authors, categories, tags and lengths holds for every generator', (t) => {
  const articles = { file: ':slug.md', permalink: '/:slug/', body: 'markdown', slug: 'unicode' } as const;
  const settings = {
    siteUrl: 'https://garden.example',
    articles: { ...articles, frontMatter: { layout: 'post' } },
  };
  const options = {
    authors: { 'Marta Oak': 'marta' },
    knownAuthorsOnly: true,
    categories: ['Vegetables'],
    keptTags: ['featured'],
    limits: { title: 60 },
  };
  const expected = { ...options, constants: { layout: 'post' } };
  for (const generator of GENERATORS)
    t.like(mappingOf(settings, generator, options), expected, generator.name);
});

/** Generator, content folder, output folder, and the source that the refusal names; none where the output is fine. */
const OUTPUTS: readonly (readonly [generator: string, content: string, output: string, held?: string])[] = [
  ['hugo', 'content', '.', 'content'],
  ['hugo', 'content', 'layouts', 'layouts'],
  ['hugo', 'content', 'link', 'content'],
  ['hugo', 'content', '.git', '.git'],
  ['eleventy', 'src/blog', 'src', 'src/blog'],
  ['hugo', 'content', 'content-built'],
  ['eleventy', '.', '_site'],
  ['plain', 'content', 'content', 'content'],
  ['plain', 'content', 'static', 'static'],
];

test('a build replaces no source of the site', async (t) => {
  const sources = ['content/a.md', 'layouts/single.html', '.git/HEAD', 'src/blog/a.md', 'static/a.css'];
  const files = Object.fromEntries([...sources, 'hugo.toml'].map((path) => [path, '']));
  const dir = folderWith(t, files);
  fs.symlinkSync('content', join(dir, 'link'));
  for (const [generator, content, output, held] of OUTPUTS) {
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ generator, content, output }));
    const settings = await loadSettings(dir, {}, {});
    const what = `${generator} with content ${content} and output ${output}`;
    if (held === undefined) t.notThrows(() => contentOf(settings), what);
    else {
      const { message } = t.throws(() => contentOf(settings), { code: 'CONFIG_INVALID' }, what);
      t.true(message.startsWith(`output "${output}" is or holds ${held}, a source of the site`), message);
    }
  }
});

/** The generator, a file of its site, the output folder, and the folder whose files go to the site by its documentation. */
const STATIC = [
  ['plain', 'package.json', '{}', 'public', 'static'],
  ['hugo', 'hugo.toml', '', 'public', 'static'],
  ['jekyll', '_config.yml', '', '_site', ''],
  ['eleventy', 'eleventy.config.js', '', '_site', 'public'],
  ['astro', 'astro.config.mjs', '', 'dist', 'public'],
  ['hexo', '_config.yml', '', 'public', 'source'],
  ['vitepress', 'docs/.vitepress/config.js', '', 'docs/.vitepress/dist', 'docs/public'],
  ['docusaurus', 'docusaurus.config.js', '', 'build', 'static'],
  ['markdown-folder', 'package.json', '{"dependencies":{"next":"16"}}', 'out', 'public'],
  ['markdown-folder', 'package.json', '{"dependencies":{"@sveltejs/kit":"2"}}', 'build', 'static'],
  ['markdown-folder', 'package.json', '{}', 'public', 'static'],
] as const;

test('files go to a site from the folder that its generator copies, or that the owner has named', async (t) => {
  for (const [generator, file, text, output, folder] of STATIC) {
    const dir = folderWith(t, { [file]: text });
    const folderOf = async (setting: unknown) => {
      const config = { generator: setting, content: 'posts', output };
      fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
      return staticFolderOf(await loadSettings(dir, {}, {}));
    };
    t.is(await folderOf(generator), folder, `${generator} with ${file} ${text} and ${output}`);
    if (generator !== 'plain') t.is(await folderOf({ name: generator, staticFolder: 'files' }), 'files');
  }
});

/** The setting of the time zone, for a site that Pressmark builds and for one that it does not. */
const ZONES = [
  (timeZone: string) => ({ site: { timeZone } }),
  (timeZone: string) => ({ generator: 'hugo', content: 'content', articles: { timeZone } }),
];

test('an index of article files that was stored before a change of the time zone is not read', async (t) => {
  const dir = folderWith(t, { 'hugo.toml': '' });
  for (const configOf of ZONES) {
    const keyIn = async (timeZone: string) => {
      fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(configOf(timeZone)));
      return contentOf(await loadSettings(dir, {}, {})).format.key;
    };
    const tokyo = await keyIn('Asia/Tokyo');
    t.not(tokyo, await keyIn('Europe/Berlin'));
    t.is(tokyo, await keyIn('Asia/Tokyo'));
  }
});

test('before the path of an article stands its folder, and nothing where that is the site’s', (t) => {
  const prefixes = ['content', './a/b/', '.', './'].map((content) => contentPrefix({ content }));
  t.deepEqual(prefixes, ['content/', 'a/b/', '', '']);
});

const stateOf = (dir: string, generator: 'plain' | 'hugo') =>
  foldersOf({ dir, content: 'content', output: 'public', templates: 'templates', generator }).stateDir;

test('the state of a site is in .pressmark, or where another generator builds it, below .git, where no generator looks', (t) => {
  const dir = tempDir(t);
  t.is(stateOf(dir, 'hugo'), join(dir, '.pressmark'));
  fs.mkdirSync(join(dir, '.git/worktrees/linked'), { recursive: true });
  t.is(stateOf(dir, 'plain'), join(dir, '.pressmark'));
  t.is(stateOf(dir, 'hugo'), join(dir, '.git/pressmark'));
  const [nested, linked] = [join(dir, 'sites/garden'), join(dir, 'linked')];
  fs.mkdirSync(nested, { recursive: true });
  t.is(stateOf(nested, 'hugo'), join(dir, '.git/pressmark/sites/garden'));
  fs.mkdirSync(linked);
  fs.writeFileSync(join(linked, '.git'), 'gitdir: ../.git/worktrees/linked\n');
  t.is(stateOf(linked, 'hugo'), join(dir, '.git/worktrees/linked/pressmark'));
});

test('a git folder on another file system does not hold the state, as files get their names from there by a link', (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, '.git'), 'gitdir: /dev\n');
  t.is(stateOf(dir, 'hugo'), join(dir, '.pressmark'));
});

test('a site’s files are read and listed, folders with a slash; what is not there or in no folder reads as nothing', (t) => {
  const dir = folderWith(t, { 'content/a.md': 'ä', 'content/posts/b.md': '' });
  fs.symlinkSync('content/a.md', join(dir, 'link.md'));
  fs.symlinkSync('content', join(dir, 'linked'));
  const files = siteFiles(dir);
  for (const path of ['content/a.md', 'link.md']) t.is(files.read(path), 'ä', path);
  t.deepEqual(files.list('content'), ['a.md', 'posts/']);
  for (const root of ['', '.']) t.deepEqual(files.list(root), ['content/', 'link.md', 'linked/']);
  for (const path of ['none', 'content', 'link.md/below', 'nul\0', ''])
    t.is(files.read(path), undefined, path);
  for (const path of ['none', 'link.md', 'nul\0']) t.deepEqual(files.list(path), [], path);
});

test('nothing outside the folder is read, neither by a path nor by a link', (t) => {
  const outer = folderWith(t, { secret: 'x', 'site-2/secret': 'x' });
  const dir = join(outer, 'site');
  fs.mkdirSync(dir);
  fs.symlinkSync('../secret', join(dir, 'link'));
  fs.symlinkSync('..', join(dir, 'up'));
  fs.symlinkSync('loop', join(dir, 'loop'));
  const files = siteFiles(dir);
  for (const path of ['../secret', 'link', 'up/secret', '../site-2/secret', 'loop', `${outer}/secret`])
    t.is(files.read(path), undefined, path);
  for (const path of ['..', 'up', '']) t.deepEqual(files.list(path), [], path);
});
