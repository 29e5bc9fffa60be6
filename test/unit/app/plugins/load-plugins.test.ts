import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadPlugins } from '../../../../src/app/plugins/load-plugins.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a plugin whose module never ends loading is named', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(join(dir, 'plugins/slow.mjs'), 'await new Promise(() => {});\nexport default {};\n');
  await t.throwsAsync(loadPlugins(dir, [], 20), {
    code: 'PLUGIN_INVALID',
    message: /^plugin "plugins\/slow\.mjs" cannot be loaded: it is not loaded after 0\.02 s; /,
  });
});
