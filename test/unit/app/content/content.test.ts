import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { contentOf, mappingOf, staticFolderOf } from '../../../../src/app/content/content.js';
import { loadSettings } from '../../../../src/config/load.js';
import { GENERATORS } from '../../../../src/generators/registry.js';
import { folderWith } from '../../../support/temp-dir.js';

test('what an owner has said of authors, categories, tags and lengths holds for every generator', (t) => {
  const settings = {
    siteUrl: 'https://garden.example',
    articles: {
      file: ':slug.md',
      permalink: '/:slug/',
      body: 'markdown',
      frontMatter: { layout: 'post' },
      slug: 'unicode',
    },
  } as const;
  const options = {
    authors: { 'Marta Oak': 'marta' },
    knownAuthorsOnly: true,
    categories: ['Vegetables'],
    keptTags: ['featured'],
    limits: { title: 60 },
  };
  for (const generator of GENERATORS)
    t.like(
      mappingOf(settings, generator, options),
      { ...options, constants: { layout: 'post' } },
      generator.name,
    );
});

/** Generator, content folder, output folder, and the source that the refusal names; none where the output is fine. */
const OUTPUTS: readonly (readonly [generator: string, content: string, output: string, held?: string])[] = [
  ['hugo', 'content', 'content', 'content'],
  ['hugo', 'content', '.', 'content'],
  ['hugo', 'content/', './content', 'content/'],
  ['hugo', 'content', 'layouts', 'layouts'],
  ['hugo', 'content', 'link', 'content'],
  ['hugo', 'content', '.git', '.git'],
  ['eleventy', 'src/blog', 'src', 'src/blog'],
  ['hugo', 'content', 'public'],
  ['hugo', 'content', 'content-built'],
  ['eleventy', '.', '_site'],
  ['plain', 'content', 'content', 'content'],
  ['plain', 'content', '.', 'content'],
  ['plain', 'content', 'static', 'static'],
  ['plain', 'content', 'public'],
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
  ['vitepress', '.vitepress/config.js', '', '.vitepress/dist', 'public'],
  ['vitepress', 'docs/.vitepress/config.js', '', 'docs/.vitepress/dist', 'docs/public'],
  ['docusaurus', 'docusaurus.config.js', '', 'build', 'static'],
  ['markdown-folder', 'package.json', '{"dependencies":{"next":"16"}}', 'out', 'public'],
  ['markdown-folder', 'package.json', '{"dependencies":{"@sveltejs/kit":"2"}}', 'build', 'static'],
  ['markdown-folder', 'package.json', '{"dependencies":{"gatsby":"5"}}', 'public', 'static'],
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
