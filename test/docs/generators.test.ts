import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { GENERATORS } from '../../src/generators/registry.js';
import { article } from '../support/events.js';
import { firstCommands } from '../support/first-commands.js';
import { runHere } from '../support/in-process.js';
import { SITE_URL } from '../support/receiver.js';
import { startHere } from '../support/receiver-here.js';
import { tempDir } from '../support/temp-dir.js';
import { withPackages } from '../support/with-plugins.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = fs.readFileSync(join(ROOT, 'docs/generators.md'), 'utf8');

/** From a clone of a site to the first article live. */
const MOST_COMMANDS = 5;

test('each generator’s page leads from a clone to the first article in five commands, and is followed word for word', (t) => {
  for (const { name } of GENERATORS) {
    const commands = firstCommands(fs.readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'));
    t.true(commands.length <= MOST_COMMANDS, `docs/${name}.md: ${commands.join('; ')}`);
    t.true(commands[0]?.startsWith('npm '), `docs/${name}.md begins with the installation`);
    t.true(
      commands.some((command) => command.startsWith('npx pressmark init')),
      name,
    );
    const followed = fs.readFileSync(join(ROOT, `test/e2e/generators/${name}.test.ts`), 'utf8');
    t.regex(followed, /\bdropIn\(test, site\)/, `docs/${name}.md is followed by a test`);
    t.regex(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'), `docs/generators.md lists ${name}`);
  }
  const readme = fs.readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, plain = ''] = readme.split(/^## Set it up in five minutes$/m);
  t.true(firstCommands(plain).length <= MOST_COMMANDS, firstCommands(plain).join('; '));
});

/** Puts an example of a definition into a site's folder, with a config that imports it, as after `npm install`. */
function withDefinition(dir: string, example: string, config: string): void {
  const code = fs.readFileSync(join(ROOT, `examples/generators/${example}.mjs`), 'utf8');
  fs.writeFileSync(join(dir, 'generator.mjs'), code);
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), config);
  withPackages(dir);
}

test('init accepts the example of a definition, and the site stores articles as the example says', async (t) => {
  const dir = tempDir(t);
  const [, part = ''] = page.split('## A definition of your own');
  const [, config = ''] = /```js\n(\/\/ pressmark\.config\.mjs\n[\s\S]*?)```/.exec(part) ?? [];
  const [command, aside] = [
    "build: 'node build.mjs'",
    "build: { command: 'node build.mjs', background: false }",
  ];
  t.true(config.includes(command));
  withDefinition(dir, 'our-script', config.replace(command, aside)); // nobody looks at a page here
  fs.writeFileSync(join(dir, 'build.mjs'), '');
  const init = await runHere(['init', '--dir', dir]);
  t.regex(init.stdout, /^ {2}generator +our-script \(pressmark\.config\.mjs\)$/m);
  t.is(fs.readFileSync(join(dir, '.gitignore'), 'utf8'), '.env\n.pressmark/\nnode_modules/\ndist/\n');
  const receiver = await startHere(t, { dir });
  const { status, json } = await receiver.post(
    'article.published',
    article({ title: 'Soil', slug: 'soil', meta_description: 'On soil', tags: ['Soil'] }),
  );
  t.is(status, 200);
  t.is(json.url, `${SITE_URL}/soil/`);
  const text = fs.readFileSync(join(dir, 'posts/soil.md'), 'utf8');
  t.regex(text, /^title: "?Soil"?$/m);
  t.regex(text, /^summary: "?On soil"?$/m);
  t.regex(text, /^pressmark:$/m);
});

test('with the definition for Zola no article has a shortcode or raw HTML in its Markdown', async (t) => {
  const dir = tempDir(t);
  const articles = "{ file: 'blog/:slug.md', permalink: '/blog/:slug/' }";
  withDefinition(
    dir,
    'zola',
    `import generator from './generator.mjs';\nexport default { generator, siteUrl: '${SITE_URL}', articles: ${articles} };\n`,
  );
  fs.writeFileSync(join(dir, 'config.toml'), `base_url = "${SITE_URL}"\n`);
  const receiver = await startHere(t, { dir });
  const stored = async (slug: string, content_markdown: string) => {
    const content_html = `\n<p>In HTML {{ 7 * 7 }}</p>\r\n \r\n<p>${slug}</p>`;
    const answer = await receiver.post(
      'article.published',
      article({ id: slug, slug, content_markdown, content_html }),
    );
    t.is(answer.status, 200);
    t.is(answer.json.url, `${SITE_URL}/blog/${slug}/`);
    return fs.readFileSync(join(dir, `content/blog/${slug}.md`), 'utf8');
  };
  const plain = await stored('plain', 'A bed of {{ 7 * 7 }} herbs, `code` too.');
  t.regex(plain, /^path: "?blog\/plain"?$/m);
  t.regex(plain, /^A bed of &#123;&#123; 7 \* 7 }} herbs, `code` too\.$/m);
  for (const [slug, markdown] of [
    ['code', 'Write `{{ youtube(id="x") }}` in code.'],
    ['html', 'A <script>1</script> in it.'],
  ] as const) {
    const text = await stored(slug, markdown);
    t.true(
      text.endsWith(`<div>&#10;\n<p>In HTML &#123;&#123; 7 * 7 }}</p>&#10;\n<p>${slug}</p>\n</div>\n`),
      `${slug}: one block without blank lines`,
    );
    t.notRegex(text.replace(/^---[\s\S]*?^---$/m, ''), /\{\{/, slug);
  }
});
