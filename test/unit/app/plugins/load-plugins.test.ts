import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import type { DurableStore } from '../../../../src/app/durable-store.js';
import { firstPartyPlugins } from '../../../../src/app/plugins/first-party.js';
import { siteOfPlugins } from '../../../../src/app/plugins/host-context.js';
import { loadPlugins, runsTypeScript } from '../../../../src/app/plugins/load-plugins.js';
import { createPlugin } from '../../../../src/app/plugins/new-plugin.js';
import { loadSettings } from '../../../../src/config/load.js';
import { tempDir, writeFiles } from '../../../support/temp-dir.js';
import { withPlugins } from '../../../support/with-plugins.js';

test('a plugin whose module never ends loading, does not parse or throws is named, with its line', async (t) => {
  for (const [code, reason, limitMs] of [
    ['await new Promise(() => {});', /it was not loaded within 0\.02 s; /, 20],
    ['export default {\n  routes: ((router => ;\n};', /Unexpected token '?;'? \(line 2\)$/],
    ["\nthrow new Error('half installed');", /half installed/],
  ] as const) {
    const dir = withPlugins(tempDir(t), { wrong: code });
    const { message } = await t.throwsAsync(loadPlugins(dir, [], limitMs), { code: 'PLUGIN_INVALID' });
    t.true(message.startsWith('plugin "plugins/wrong.mjs" cannot be loaded: '), message);
    t.regex(message, reason);
  }
});

test('packages are found beside the site and above it, in the order of the config, with their options', async (t) => {
  const workspace = tempDir(t);
  const install = (folder: string, name: string, exports: unknown) =>
    writeFiles(join(workspace, folder, 'node_modules', name), {
      'package.json': JSON.stringify({ name, type: 'module', exports }),
      'main.js': `export default { name: '${name}' };`,
    });
  install('site', 'first', './main.js');
  install('', '@scope/second', { '.': { import: { default: './main.js' } } });
  const dir = join(workspace, 'site');
  const plugins = await loadPlugins(dir, ['first', ['@scope/second', { suffix: '!' }]]);
  t.deepEqual(
    plugins.map(({ plugin, options }) => [plugin.name, options]),
    [
      ['first', undefined],
      ['@scope/second', { suffix: '!' }],
    ],
  );
  await t.throwsAsync(loadPlugins(dir, ['third']), {
    code: 'CONFIG_INVALID',
    message: /"third" is not installed; run npm install third/,
  });
});

test('no adapter can have the path of the webhook, of the health check, of an article or of the site’s own pages', async (t) => {
  const env = { PRESSMARK_SITE_URL: 'https://garden.example/blog' };
  const { taken } = siteOfPlugins(await loadSettings(tempDir(t), {}, env));
  for (const path of ['/webhook', '/healthz', '/blog/articles/:slug/', '/blog/tags/*'])
    t.true(taken.has(path), `${path} of ${[...taken.keys()]}`);
});

test('the plugins of the folder are its modules, of each kind that Node.js loads', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  const write = (name: string, text: string) => fs.writeFileSync(join(dir, 'plugins', name), text);
  write('a.mjs', "export default { name: 'a' };");
  write('b.cjs', "module.exports = { name: 'b' };");
  for (const name of ['types.d.ts', '_shared.mjs', '.hidden.mjs', 'notes.txt']) write(name, 'no plugin');
  const names = async () => (await loadPlugins(dir, [])).map(({ plugin }) => plugin.name);
  t.deepEqual(await names(), ['a', 'b']);
  const typed = {
    'c.mts': "const name: string = 'c';\nexport default { name };",
    'd.cts': "const name: string = 'd';\nmodule.exports = { name };",
  };
  for (const [name, text] of Object.entries(typed)) {
    write(name, text);
    if (runsTypeScript()) continue;
    const words = 'TypeScript needs Node.js 22.18 or newer, and this is v';
    const error = await t.throwsAsync(names());
    t.true(error?.message.startsWith(`plugin "plugins/${name}" cannot be loaded: ${words}`), error?.message);
    fs.unlinkSync(join(dir, 'plugins', name));
  }
  if (runsTypeScript()) t.deepEqual(await names(), ['a', 'b', 'c', 'd']);
});

test('site, git and admin act before all plugins of others, whose actions they do not wait for', async (t) => {
  const settings = await loadSettings(tempDir(t), {}, { PRESSMARK_SITE_URL: 'https://garden.example' });
  const durable = { git: { name: 'git', receiver: () => undefined } } as unknown as DurableStore;
  const log = pino({ level: 'silent' });
  const plugins = firstPartyPlugins({ settings, durable, log, terminal: false, sources: [] });
  t.deepEqual(
    plugins.map(({ plugin, isFirstParty }) => [plugin.name, isFirstParty]),
    [
      ['admin', true],
      ['site', true],
      ['git', true],
    ],
  );
});

test('a new plugin replaces no file, and its name is one that a plugin can have', (t) => {
  const dir = tempDir(t);
  for (const name of ['Upper', '../out', ''])
    t.throws(() => createPlugin(dir, { name, isTyped: false }), {
      code: 'USAGE',
      message: /cannot be named/,
    });
  t.deepEqual(fs.readdirSync(dir), []);
  t.deepEqual(createPlugin(dir, { name: 'one', isTyped: false }), ['plugins/one.mjs', 'tests/one.test.mjs']);
  for (const isTyped of [false, true])
    t.throws(() => createPlugin(dir, { name: 'one', isTyped }), { message: /^plugins\/one\.mjs is there/ });
  fs.writeFileSync(join(dir, 'tsconfig.json'), 'of the owner');
  createPlugin(dir, { name: 'two', isTyped: true });
  t.is(fs.readFileSync(join(dir, 'tsconfig.json'), 'utf8'), 'of the owner');
});
