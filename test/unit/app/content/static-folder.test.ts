import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { staticFolderOf } from '../../../../src/app/content/content.js';
import { loadSettings } from '../../../../src/config/load.js';
import { tempDir } from '../../../support/temp-dir.js';

/** The generator, a file of its site, the output folder, and the folder whose files go to the site by its documentation. */
const CASES = [
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

for (const [generator, file, text, output, folder] of CASES)
  test(`files go to a site of ${generator} from "${folder}", with ${file} ${text} and ${output}`, async (t) => {
    const dir = tempDir(t);
    fs.mkdirSync(dirname(join(dir, file)), { recursive: true });
    fs.writeFileSync(join(dir, file), text);
    const config = (setting: unknown) =>
      fs.writeFileSync(
        join(dir, 'pressmark.config.json'),
        JSON.stringify({ generator: setting, content: 'posts', output }),
      );
    config(generator);
    t.is(staticFolderOf(await loadSettings(dir, {}, {})), folder);
    if (generator === 'plain') return;
    config({ name: generator, staticFolder: 'files' });
    t.is(staticFolderOf(await loadSettings(dir, {}, {})), 'files');
  });
