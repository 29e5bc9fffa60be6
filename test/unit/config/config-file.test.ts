import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readConfigFile } from '../../../src/config/config-file.js';
import { tempDir } from '../../support/temp-dir.js';

test('a config whose module never ends loading is named', async (t) => {
  const path = join(tempDir(t), 'pressmark.config.mjs');
  fs.writeFileSync(path, 'await new Promise(() => {});\nexport default {};\n');
  await t.throwsAsync(readConfigFile(path, 20), {
    code: 'CONFIG_INVALID',
    message: /pressmark\.config\.mjs cannot be read: it was not loaded within 0\.02 s; /,
  });
});
