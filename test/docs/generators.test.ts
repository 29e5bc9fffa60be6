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

/** Writes the page's example files into a site's folder, as after `npm install`. */
function writeExamples(dir: string): void {
  const [, part = ''] = page.split('## A definition of your own');
  for (const [, code = '', name = ''] of part.matchAll(/```js\n(\/\/ (\S+)\n[\s\S]*?)```/g))
    fs.writeFileSync(join(dir, name), code);
  fs.writeFileSync(join(dir, 'build.mjs'), '');
  withPackages(dir);
}

test('init accepts the example of a definition, and the site stores articles as the example says', async (t) => {
  const dir = tempDir(t);
  writeExamples(dir);
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
