import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

/** A package whose plugin adds a suffix to titles. */
function install(dir: string, name: string, exports: unknown = './main.js'): void {
  const folder = join(dir, 'node_modules', name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  fs.writeFileSync(
    join(folder, 'main.js'),
    `export default {
       name: '${name.replace('@scope/', '')}',
       options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: { suffix: value.suffix ?? '?' } }) } },
       receiver(host) {
         host.addFilter('article.draft', (draft) => ({ ...draft, title: draft.title + host.options.suffix }));
       },
     };
`,
  );
}

/** Names the site's plugins in its config. */
function configure(dir: string, plugins: unknown[]): void {
  const file = join(dir, 'pressmark.config.json');
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), plugins }));
}

test('200-packages: packages are found beside the site and above it, and their plugins run in the order of the config, with their options', async (t) => {
  const workspace = tempDir(t);
  const dir = join(workspace, 'site');
  fs.mkdirSync(dir);
  storeOnly(dir);
  install(dir, 'first-plugin');
  install(workspace, '@scope/second-plugin', { '.': { import: { default: './main.js' } } });
  configure(dir, ['first-plugin', ['@scope/second-plugin', { suffix: '!' }]]);

  // A receiver of its own: these plugins change the title of every article.
  const { post } = await startHere(t, { dir });
  const data = article({ title: 'Bees' });
  t.is((await post('article.published', data)).status, 200);
  t.is(readStored(fileOf(dir, data.id)).article.title, 'Bees?!');
});

test('a plugin that is not installed or fails while it is loaded stops the start with one line that names it', async (t) => {
  const dir = storeOnly(tempDir(t));
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const start = () => runHere(['start', '--dir', dir, '--port', '0'], env);

  configure(dir, ['no-such-plugin']);
  const missing = await start();
  t.is(missing.code, 2, 'as with a theme that is not installed');
  t.regex(missing.stderr, /"no-such-plugin" is not installed; run npm install no-such-plugin/);

  install(dir, 'broken-plugin');
  fs.appendFileSync(join(dir, 'node_modules/broken-plugin/main.js'), "throw new Error('half installed');\n");
  configure(dir, ['broken-plugin']);
  const broken = await start();
  t.is(broken.code, 1);
  t.regex(broken.stderr, /plugin "broken-plugin" cannot be loaded: half installed/);
  t.is(broken.stderr.trim().split('\n').length, 1);
});
