import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadPlugins, runsTypeScript } from '../../../../src/app/plugins/load-plugins.js';
import { tempDir } from '../../../support/temp-dir.js';
import { withPlugins } from '../../../support/with-plugins.js';

test('a plugin whose module never ends loading is named', async (t) => {
  const dir = withPlugins(tempDir(t), { slow: 'await new Promise(() => {});\nexport default {};\n' });
  await t.throwsAsync(loadPlugins(dir, [], 20), {
    code: 'PLUGIN_INVALID',
    message: /^plugin "plugins\/slow\.mjs" cannot be loaded: it was not loaded within 0\.02 s; /,
  });
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
